import {
  countFires,
  cron,
  every,
  nextFires,
  occurrencesOf,
  once,
  type Trigger,
} from '../../../lib/triggers/index.js';

const MINUTE_MS = 60_000;

describe('an interval', () => {
  const minutely = every('1m');

  it('is aligned to its anchor, else to startsAt, else to the epoch', () => {
    expect(nextFires(minutely, { after: 0, count: 2, anchor: 5000, startsAt: 7000 })).toEqual([
      65_000, 125_000,
    ]);
    expect(nextFires(minutely, { after: 0, count: 2, startsAt: 7000 })).toEqual([7000, 67_000]);
    expect(nextFires(minutely, { after: 0, count: 2 })).toEqual([60_000, 120_000]);
  });

  it('takes from its anchor the phase only, not a bound', () => {
    expect(nextFires(minutely, { after: -100_000, count: 2, anchor: 5000 })).toEqual([-55_000, 5000]);
  });

  it('keeps its phase over the whole range of instants', () => {
    const occurrences = occurrencesOf(every(7001), { anchor: 8.64e15 - 3 });
    // The distance between the ends of the range is no number that a double can hold.
    const phase = Number((8_640_000_000_000_000n * 2n - 3n) % 7001n);
    expect(occurrences.next(-8.64e15)).toBe(-8.64e15 + phase);
    expect(occurrences.previous(8.64e15)).toBe(8.64e15 - 3);
    expect(occurrences.next(8.64e15 - 3)).toBeUndefined();
    expect(occurrences.count(8.64e15 - 3 - 7001, 8.64e15)).toBe(1);
  });

  it('counts a year of seconds', () => {
    expect(countFires(every('1s'), { after: 0, until: 365 * 86_400_000 })).toBe(365 * 86_400);
  });

  it('is aligned to the epoch as @every, wherever the window starts', () => {
    const options = { after: 0, count: 2, startsAt: 7000, anchor: 5000 };
    expect(nextFires(cron('@every 1m'), options)).toEqual([60_000, 120_000]);
    expect(nextFires(cron('@every:60000'), options)).toEqual([60_000, 120_000]);
  });
});

describe('a single fire', () => {
  it.each([
    ['before it', { after: 4999 }, [5000]],
    ['at it', { after: 5000 }, []],
    ['with a window that begins and ends with it', { after: 0, startsAt: 5000, endsAt: 5000 }, [5000]],
    ['with a window that begins later', { after: 0, startsAt: 5001 }, []],
    ['with a window that ends earlier', { after: 0, endsAt: 4999 }, []],
  ])('is listed once: %s', (_case, options, fires) => {
    expect(nextFires(once(5000), options)).toEqual(fires);
  });
});

describe('the window', () => {
  const minutely = cron('* * * * *');

  it('holds its first and its last instant', () => {
    const options = { after: 0, startsAt: MINUTE_MS, endsAt: new Date(3 * MINUTE_MS) };
    expect(nextFires(minutely, options)).toEqual([MINUTE_MS, 2 * MINUTE_MS, 3 * MINUTE_MS]);
    expect(countFires(minutely, { ...options, until: new Date(10 * MINUTE_MS) })).toBe(3);
  });

  it('bounds the search backwards too', () => {
    const occurrences = occurrencesOf(minutely, { startsAt: MINUTE_MS, endsAt: 3 * MINUTE_MS });
    expect(occurrences.previous(10 * MINUTE_MS)).toBe(3 * MINUTE_MS);
    expect(occurrences.previous(MINUTE_MS)).toBe(MINUTE_MS);
    expect(occurrences.previous(MINUTE_MS - 1)).toBeUndefined();
    expect(occurrences.next(3 * MINUTE_MS)).toBeUndefined();
  });

  it('is empty when it ends before it begins', () => {
    const options = { after: 0, startsAt: 3 * MINUTE_MS, endsAt: MINUTE_MS };
    expect(nextFires(minutely, options)).toEqual([]);
    expect(countFires(minutely, { ...options, until: 10 * MINUTE_MS })).toBe(0);
  });
});

describe('the instants given', () => {
  const minutely = cron('* * * * *');

  it('are numbers or dates, between two milliseconds too', () => {
    const expected = [2 * MINUTE_MS];
    expect(nextFires(minutely, { after: new Date(MINUTE_MS), count: 1 })).toEqual(expected);
    expect(nextFires(minutely, { after: MINUTE_MS + 0.5, count: 1 })).toEqual(expected);
    expect(nextFires(minutely, { after: 0, startsAt: MINUTE_MS + 0.5, count: 1 })).toEqual(expected);
  });

  it('count nothing backwards', () => {
    expect(countFires(minutely, { after: 10 * MINUTE_MS, until: 0 })).toBe(0);
    expect(countFires(every('1m'), { after: 10 * MINUTE_MS, until: 0 })).toBe(0);
    expect(countFires(once(5), { after: 10, until: 0 })).toBe(0);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 8.64e15 + 1, new Date('never')])(
    'are refused when %p',
    (after) => {
      expect(() => nextFires(minutely, { after })).toThrow(RangeError);
      expect(() => countFires(minutely, { after: 0, until: after })).toThrow(
        /`until` is .*: give a valid Date/,
      );
    },
  );

  it.each([-1, 1.5, Number.NaN])('are listed a whole number of times, not %p', (count) => {
    expect(() => nextFires(minutely, { after: 0, count })).toThrow(/`count` is .*: give a whole number/);
  });

  it('are listed five times by default, and not at all for zero', () => {
    expect(nextFires(minutely, { after: 0 })).toHaveLength(5);
    expect(nextFires(minutely, { after: 0, count: 0 })).toEqual([]);
  });
});

describe('a gap in local time', () => {
  const gap = { after: new Date('2026-03-08T05:00:00Z'), count: 2 };
  const iso = (trigger: Trigger): readonly string[] =>
    nextFires(trigger, gap).map((at) => new Date(at).toISOString().slice(0, 16));

  it('is skipped by default, and made up for at its end with run_after', () => {
    expect(iso(cron('30 2 * * *', 'America/New_York'))).toEqual(['2026-03-09T06:30', '2026-03-10T06:30']);
    expect(iso(cron('30 2 * * *', 'America/New_York', { dstGap: 'run_after' }))).toEqual([
      '2026-03-08T07:00',
      '2026-03-09T06:30',
    ]);
  });

  it('is made up for once, merged with what is due at its end', () => {
    expect(iso(cron('*/20 2,3 * * *', 'America/New_York', { dstGap: 'run_after' }))).toEqual([
      '2026-03-08T07:00',
      '2026-03-08T07:20',
    ]);
  });

  it('is nothing to make up for where the hour is unrestricted', () => {
    expect(iso(cron('30 * * * *', 'America/New_York', { dstGap: 'run_after' }))).toEqual([
      '2026-03-08T05:30',
      '2026-03-08T06:30',
    ]);
  });

  it('may be a whole day', () => {
    const trigger = cron('0 12 30 12 *', 'Pacific/Apia', { dstGap: 'run_after' });
    const [fire] = nextFires(trigger, { after: Date.UTC(2011, 11, 1) });
    expect(fire).toBe(Date.UTC(2011, 11, 30, 10));
  });
});

describe('a stored trigger that was corrupted', () => {
  it.each([
    ['expr_invalid', { kind: 'cron', expr: 'bad' }],
    ['timezone_invalid', { kind: 'cron', expr: '* * * * *', timezone: 'Foo/Bar' }],
    ['interval_too_short', { kind: 'interval', everyMs: 0 }],
    ['fire_time_required', { kind: 'once', atUnixMs: Number.NaN }],
  ] as const)('is refused as %s', (reason, trigger) => {
    expect(() => occurrencesOf(trigger, {})).toThrow(expect.objectContaining({ reason }));
  });
});
