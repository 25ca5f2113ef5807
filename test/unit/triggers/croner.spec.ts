import { Cron } from 'croner';
import fc from 'fast-check';
import { cron, nextFires, TriggerInvalidError } from '../../../lib/triggers/index.js';
import { expressions } from './support/random-expressions.js';

const instants = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2080, 0, 1) });

it('fires in UTC where croner fires', () => {
  let compared = 0;
  fc.assert(
    fc.property(expressions, instants, (expr, after) => {
      const ours = fires(expr, after);
      fc.pre(ours !== undefined);
      const theirs = new Cron(expr, { timezone: 'UTC', paused: true }).nextRuns(3, new Date(after));
      expect(ours.map((at) => new Date(at))).toEqual(theirs);
      compared++;
    }),
    { numRuns: 2000 },
  );
  expect(compared).toBeGreaterThan(1000);
});

/** Nothing for expressions that name no real date, which are refused. */
function fires(expr: string, after: number): readonly number[] | undefined {
  try {
    return nextFires(cron(expr), { after, count: 3 });
  } catch (error) {
    if (error instanceof TriggerInvalidError) return undefined;
    throw error;
  }
}
