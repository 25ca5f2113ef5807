import { intlOffsets } from '../../../lib/triggers/zones/offset-source.js';
import { OFFSET_CYCLE, OFFSETS_REPEAT_FROM, Zone } from '../../../lib/triggers/zones/zone.js';
import { localClock } from './support/local-clock.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Instants some days apart that drift through the hours of the day and the days of the year. */
function instantsBetween(from: number, to: number, step: number): readonly number[] {
  return Array.from({ length: Math.floor((to - from) / step) }, (_, index) => from + index * step);
}

describe.each([
  'America/New_York',
  'Europe/London',
  'Africa/Monrovia',
  'Africa/Casablanca',
  'Africa/Freetown',
  'America/Juneau',
  'Asia/Gaza',
  'Asia/Manila',
  'Australia/Lord_Howe',
  'Antarctica/Troll',
  'Pacific/Apia',
  'Pacific/Kwajalein',
  'Etc/GMT+5',
  'UTC',
])('the offsets of %s', (name) => {
  const zone = Zone.named(name);
  const clock = localClock(name);
  const offsetAt = (instant: number): number => clock(instant).sinceEpoch - instant;

  it('are those of Intl from 1800 to 2600', () => {
    const instants = instantsBetween(
      Date.UTC(1800, 0, 1),
      Date.UTC(2600, 0, 1),
      61 * DAY_MS + 5 * HOUR_MS + 1000,
    );
    const differing = instants.filter((instant) => zone.segmentAt(instant).offset !== offsetAt(instant));
    expect(differing).toEqual([]);
  });

  it('lie in segments that adjoin, each holding the instant asked for', () => {
    const wrong: unknown[] = [];
    const end = Date.UTC(2110, 0, 1);
    let instant = Date.UTC(1840, 0, 1);
    while (instant < end) {
      const segment = zone.segmentAt(instant);
      const last = segment.end - 1000;
      const holds =
        segment.start <= instant && zone.segmentAt(last) === segment && offsetAt(last) === segment.offset;
      if (!holds) wrong.push(segment);
      instant = segment.end;
    }
    expect(wrong).toEqual([]);
  });

  it('repeat after 400 years and are constant in the distant past', () => {
    const shift = 500 * OFFSET_CYCLE;
    const instants = instantsBetween(OFFSETS_REPEAT_FROM, OFFSETS_REPEAT_FROM + 4 * 366 * DAY_MS, 7 * DAY_MS);
    const far = instants.map((instant) => zone.segmentAt(instant + shift));
    const near = instants.map((instant) => zone.segmentAt(instant));
    expect(far.map(({ offset, start, end }) => ({ offset, start: start - shift, end: end - shift }))).toEqual(
      near.map(({ offset, start, end }) => ({ offset, start, end })),
    );
    expect(zone.segmentAt(-8.64e15).offset).toBe(offsetAt(Date.UTC(1700, 0, 1)));
  });
});

it('asks for the offsets of half a year once', () => {
  let asked = 0;
  const offsets = intlOffsets('America/New_York');
  const zone = new Zone((instant) => {
    asked++;
    return offsets(instant);
  });
  zone.segmentAt(Date.UTC(2026, 5, 1));
  const first = asked;
  expect(first).toBeLessThan(150);
  for (let day = 0; day < 30; day++) zone.segmentAt(Date.UTC(2026, 5, day));
  expect(asked).toBeLessThanOrEqual(2 * first);
});

it('tells a gap, and from when local times are new after a fold', () => {
  const zone = Zone.named('America/New_York');
  const summer = zone.segmentAt(Date.UTC(2026, 2, 8, 7));
  const winter = zone.segmentAt(Date.UTC(2026, 10, 1, 6));
  expect(summer).toMatchObject({ start: Date.UTC(2026, 2, 8, 7), skipped: HOUR_MS, freshFrom: summer.start });
  expect(winter).toMatchObject({
    start: Date.UTC(2026, 10, 1, 6),
    skipped: 0,
    freshFrom: winter.start + HOUR_MS,
  });
});
