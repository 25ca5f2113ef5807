import {
  cron,
  describeTrigger,
  type DstGap,
  type MisfirePolicy,
  nextFires,
  TriggerInvalidError,
} from '../../../lib/index.js';
import { decideDue, type DueDecision, type DueSchedule } from '../../../lib/schedules/misfire.js';
import { occurrencesOf } from '../../../lib/triggers/index.js';
import { page } from './support/manual.js';
import { codeIn } from './support/table.js';

const triggers = page('triggers');
const misfire = page('misfire-and-overlap');

it.each(triggers.tableIn('The grammar', 'Expression', 'Means').rows)(
  '%s means: %s',
  (expression, meaning) => {
    expect(describeTrigger(cron(code(expression)))).toBe(meaning);
  },
);

it.each(triggers.tableIn('The grammar', 'Expression', 'Reason').rows)(
  '%s in %s is refused as %s',
  (expression, zone, reason) => {
    expect(faultOf(code(expression), code(zone))).toBe(code(reason));
  },
);

it.each(triggers.tableIn('Daylight saving', 'Expression').rows)(
  '%s in %s with %s fires after %s at %s',
  (expression, zone, dstGap, after, fires = '') => {
    const expected = codeIn(fires).map((instant) => Date.parse(instant));
    const trigger = cron(code(expression), code(zone), { dstGap: code(dstGap) as DstGap });
    expect(
      nextFires(trigger, { after: Date.parse(code(after)), count: expected.length }).map(instant),
    ).toEqual(expected.map(instant));
  },
);

it.each<[MisfirePolicy, number | undefined, string]>([
  ['fire_now', undefined, 'missed from 10:01: 100, then succeeded 11:41'],
  ['skip', undefined, 'missed from 10:01: 101'],
  ['backfill', 3, 'missed from 10:01: 98, then 11:39, 11:40, 11:41'],
])('%s with the limit %s leaves behind: %s', (misfirePolicy, backfillLimit, sentence) => {
  const { missed, fired } = madeUpFor({ misfirePolicy, backfillLimit });
  const fires = fired.map(clock).join(', ');
  const then = fires === '' ? '' : `, then ${misfirePolicy === 'fire_now' ? 'succeeded ' : ''}${fires}`;
  expect(`missed from ${clock(missed?.firstAtUnixMs ?? 0)}: ${missed?.count}${then}`).toBe(sentence);
  expect(misfire.text).toContain(sentence);
});

it('backfill without a limit makes up for every occurrence', () => {
  const { missed, fired } = madeUpFor({ misfirePolicy: 'backfill', backfillLimit: undefined });
  expect(missed).toBeUndefined();
  expect(misfire.text).toContain(`${fired.length} runs, one after the other, from 11:41:30 on`);
});

/** What becomes of a minutely schedule when every node was down from 10:00:30 to 11:41:30. */
function madeUpFor(policy: Pick<DueSchedule, 'misfirePolicy' | 'backfillLimit'>) {
  const nowUnixMs = Date.parse('2030-02-01T11:41:30Z');
  const occurrences = occurrencesOf(cron('* * * * *'), {});
  const due = { ...policy, occurrences, nowUnixMs, misfireThresholdMs: 60_000 };
  const first = decideDue({ ...due, cursorUnixMs: Date.parse('2030-02-01T10:01Z') });
  const fired = first.fireAtUnixMs === undefined ? [] : [first.fireAtUnixMs];
  let cursorUnixMs = first.nextFireAtUnixMs ?? Infinity;
  while (cursorUnixMs <= nowUnixMs) {
    // What the first decision says of the backlog is kept with the schedule.
    const { fireAtUnixMs, nextFireAtUnixMs }: DueDecision = decideDue({ ...first, ...due, cursorUnixMs });
    fired.push(...(fireAtUnixMs === undefined ? [] : [fireAtUnixMs]));
    cursorUnixMs = nextFireAtUnixMs ?? Infinity;
  }
  return { missed: first.missed, fired };
}

function code(cell = ''): string {
  return codeIn(cell)[0] ?? '';
}

function faultOf(expression: string, zone: string): string | undefined {
  try {
    cron(expression, zone);
    return undefined;
  } catch (error) {
    return error instanceof TriggerInvalidError ? error.reason : String(error);
  }
}

function instant(unixMs: number): string {
  return new Date(unixMs).toISOString();
}

function clock(unixMs: number): string {
  return instant(unixMs).slice(11, 16);
}
