import {
  cron,
  describeTrigger,
  type DstGap,
  type MisfirePolicy,
  nextFires,
  TriggerInvalidError,
} from '../../../lib/index.js';
import { decideDue } from '../../../lib/schedules/index.js';
import { occurrencesOf } from '../../../lib/triggers/index.js';
import { codeIn, readmeText, tableIn } from './support/readme.js';

it.each(tableIn('The grammar', 'Expression', 'Means').rows)('%s means: %s', (expression, meaning) => {
  expect(describeTrigger(cron(code(expression)))).toBe(meaning);
});

it.each(tableIn('The grammar', 'Expression', 'Reason').rows)(
  '%s in %s is refused as %s',
  (expression, zone, reason) => {
    expect(faultOf(code(expression), code(zone))).toBe(code(reason));
  },
);

it.each(tableIn('Daylight saving', 'Expression').rows)(
  '%s in %s with %s fires after %s at %s',
  (expression, zone, dstGap, after, fires = '') => {
    const expected = codeIn(fires).map((instant) => Date.parse(instant));
    const trigger = cron(code(expression), code(zone), { dstGap: code(dstGap) as DstGap });
    expect(
      nextFires(trigger, { after: Date.parse(code(after)), count: expected.length }).map(instant),
    ).toEqual(expected.map(instant));
  },
);

it.each<[MisfirePolicy, string]>([
  ['fire_now', 'missed from 10:01: 100, then succeeded 11:41'],
  ['skip', 'missed from 10:01: 101'],
])('%s leaves behind: %s', (misfirePolicy, sentence) => {
  const decision = decideDue({
    occurrences: occurrencesOf(cron('* * * * *'), {}),
    cursorUnixMs: Date.parse('2030-02-01T10:01Z'),
    nowUnixMs: Date.parse('2030-02-01T11:41:30Z'),
    misfireThresholdMs: 60_000,
    misfirePolicy,
  });
  const { missed, fireAtUnixMs } = decision;
  const fired = fireAtUnixMs === undefined ? '' : `, then succeeded ${clock(fireAtUnixMs)}`;
  expect(`missed from ${clock(missed?.firstAtUnixMs ?? 0)}: ${missed?.count}${fired}`).toBe(sentence);
  expect(readmeText()).toContain(sentence);
});

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
