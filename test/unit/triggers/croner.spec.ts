import { Cron } from 'croner';
import fc from 'fast-check';
import { cron, nextFires, TriggerInvalidError } from '../../../lib/triggers/index.js';
import { expressions } from './support/random-expressions.js';

const instants = fc.integer({ min: Date.UTC(1990, 0, 1), max: Date.UTC(2080, 0, 1) });

it('fires in UTC where croner fires', () => {
  let compared = 0;
  fc.assert(
    fc.property(expressions, instants, (expr, after) => {
      fc.pre(!hasDayFieldWithStepOne(expr));
      const job = unlessRefused(() => new Cron(expr, { timezone: 'UTC', paused: true }));
      const ours = unlessRefused(() => nextFires(cron(expr), { after, count: 3 }));
      fc.pre(job !== undefined && ours !== undefined);
      expect(ours).toEqual(job.nextRuns(3, new Date(after)).map((at) => at.getTime()));
      compared++;
    }),
    { numRuns: 2000 },
  );
  expect(compared).toBeGreaterThan(1000);
});

/** For croner a star with step 1 restricts a day field, for us it does not. */
function hasDayFieldWithStepOne(expr: string): boolean {
  const fields = expr.split(' ');
  return fields[3] === '*/1' || fields[5] === '*/1';
}

/** croner knows `L` only alone in its field, and we refuse what names no real date. */
function unlessRefused<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof TriggerInvalidError || error instanceof TypeError) return undefined;
    throw error;
  }
}
