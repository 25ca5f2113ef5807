import { decideDue, type DueSchedule, isMisfired, overdueGap } from '../../../lib/schedules/misfire.js';
import { cron, every, once, occurrencesOf, type Trigger } from '../../../lib/triggers/index.js';

const NOON = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;
const DAY = 86_400_000;

/** A schedule whose cursor is at noon, decided `lateMs` later with a threshold of one minute. */
function dueAtNoon(trigger: Trigger, lateMs: number, given: Partial<DueSchedule> = {}): DueSchedule {
  return {
    occurrences: occurrencesOf(trigger, { anchor: NOON }),
    cursorUnixMs: NOON,
    nowUnixMs: NOON + lateMs,
    misfireThresholdMs: MINUTE,
    misfirePolicy: 'fire_now',
    ...given,
  };
}

describe('isMisfired', () => {
  it.each([
    [0, false],
    [MINUTE - 1, false],
    [MINUTE, false],
    [MINUTE + 1, true],
  ])('%i ms after a threshold of one minute is %s', (lateMs, expected) => {
    expect(isMisfired(NOON, NOON + lateMs, MINUTE)).toBe(expected);
  });
});

describe('decideDue, on time', () => {
  it.each(['fire_now', 'skip'] as const)(
    'fires the cursor and advances by one exactly at the threshold, under %s',
    (misfirePolicy) => {
      expect(decideDue(dueAtNoon(every('10s'), MINUTE, { misfirePolicy }))).toEqual({
        fireAtUnixMs: NOON,
        nextFireAtUnixMs: NOON + 10_000,
        accountedUntilUnixMs: NOON,
      });
    },
  );

  it('has no further cursor after the last occurrence', () => {
    expect(decideDue(dueAtNoon(once(NOON), 5))).toEqual({
      fireAtUnixMs: NOON,
      accountedUntilUnixMs: NOON,
    });
  });
});

describe('decideDue, misfired under fire_now', () => {
  it('fires a single late occurrence with its own logical time, and nothing is missed', () => {
    expect(decideDue(dueAtNoon(cron('0 12 * * *'), 5 * MINUTE))).toEqual({
      fireAtUnixMs: NOON,
      nextFireAtUnixMs: NOON + DAY,
      accountedUntilUnixMs: NOON + 5 * MINUTE,
    });
  });

  it('fires the latest due occurrence and counts the older ones as one gap', () => {
    expect(decideDue(dueAtNoon(cron('* * * * *'), 101 * MINUTE + 30_000))).toEqual({
      fireAtUnixMs: NOON + 101 * MINUTE,
      missed: { firstAtUnixMs: NOON, count: 101 },
      nextFireAtUnixMs: NOON + 102 * MINUTE,
      accountedUntilUnixMs: NOON + 101 * MINUTE + 30_000,
    });
  });

  it('counts an occurrence at the very instant of the decision as due', () => {
    expect(decideDue(dueAtNoon(cron('* * * * *'), 2 * MINUTE))).toEqual({
      fireAtUnixMs: NOON + 2 * MINUTE,
      missed: { firstAtUnixMs: NOON, count: 2 },
      nextFireAtUnixMs: NOON + 3 * MINUTE,
      accountedUntilUnixMs: NOON + 2 * MINUTE,
    });
  });

  it('counts a year of one-second ticks exactly', () => {
    const year = 365 * DAY;

    expect(decideDue(dueAtNoon(every('1s'), year))).toEqual({
      fireAtUnixMs: NOON + year,
      missed: { firstAtUnixMs: NOON, count: year / 1_000 },
      nextFireAtUnixMs: NOON + year + 1_000,
      accountedUntilUnixMs: NOON + year,
    });
    expect(decideDue(dueAtNoon(cron('* * * * * *', 'America/New_York'), year))).toEqual({
      fireAtUnixMs: NOON + year,
      missed: { firstAtUnixMs: NOON, count: year / 1_000 },
      nextFireAtUnixMs: NOON + year + 1_000,
      accountedUntilUnixMs: NOON + year,
    });
  });

  it('hands occurrences up to and with endsAt to the policy, none after it', () => {
    const occurrences = occurrencesOf(cron('* * * * *'), { endsAt: NOON + 5 * MINUTE });

    expect(decideDue(dueAtNoon(cron('* * * * *'), 60 * MINUTE, { occurrences }))).toEqual({
      fireAtUnixMs: NOON + 5 * MINUTE,
      missed: { firstAtUnixMs: NOON, count: 5 },
      accountedUntilUnixMs: NOON + 60 * MINUTE,
    });
  });

  it('moves the cursor past now, however late it is looked at', () => {
    const { nextFireAtUnixMs } = decideDue(dueAtNoon(every('7s'), 12_345_678));

    expect(nextFireAtUnixMs).toBeGreaterThan(NOON + 12_345_678);
    expect(nextFireAtUnixMs).toBeLessThanOrEqual(NOON + 12_345_678 + 7_000);
  });
});

describe('decideDue, misfired under skip', () => {
  it('fires nothing and counts all of them', () => {
    const due = dueAtNoon(cron('* * * * *'), 101 * MINUTE + 30_000, { misfirePolicy: 'skip' });

    expect(decideDue(due)).toEqual({
      missed: { firstAtUnixMs: NOON, count: 102 },
      nextFireAtUnixMs: NOON + 102 * MINUTE,
      accountedUntilUnixMs: NOON + 101 * MINUTE + 30_000,
    });
  });

  it('counts a single one, and goes on tomorrow', () => {
    const due = dueAtNoon(cron('0 12 * * *'), 5 * MINUTE, { misfirePolicy: 'skip' });

    expect(decideDue(due)).toEqual({
      missed: { firstAtUnixMs: NOON, count: 1 },
      nextFireAtUnixMs: NOON + DAY,
      accountedUntilUnixMs: NOON + 5 * MINUTE,
    });
  });

  it('leaves no cursor behind where endsAt passed while everything was down', () => {
    const occurrences = occurrencesOf(cron('* * * * *'), { endsAt: NOON + 5 * MINUTE });
    const due = dueAtNoon(cron('* * * * *'), 60 * MINUTE, { occurrences, misfirePolicy: 'skip' });

    expect(decideDue(due)).toEqual({
      missed: { firstAtUnixMs: NOON, count: 6 },
      accountedUntilUnixMs: NOON + 60 * MINUTE,
    });
  });
});

describe('decideDue, misfired under backfill', () => {
  const minutely = cron('* * * * *');
  const later = 10 * MINUTE + 30_000;

  /** Decides until the cursor lies ahead, as one pass after the other would: minutes that fire, and gaps. */
  function decideAll(due: DueSchedule): { readonly fires: number[]; readonly gaps: number[][] } {
    const { fireAtUnixMs, missed, nextFireAtUnixMs, backfillUntilUnixMs } = decideDue(due);
    const fires = fireAtUnixMs === undefined ? [] : [(fireAtUnixMs - NOON) / MINUTE];
    const gaps = missed === undefined ? [] : [[(missed.firstAtUnixMs - NOON) / MINUTE, missed.count]];
    if (nextFireAtUnixMs === undefined || nextFireAtUnixMs > due.nowUnixMs) {
      return { fires, gaps };
    }
    const rest = decideAll({
      ...due,
      cursorUnixMs: nextFireAtUnixMs,
      backfillUntilUnixMs: backfillUntilUnixMs ?? due.backfillUntilUnixMs,
    });
    return { fires: fires.concat(rest.fires), gaps: gaps.concat(rest.gaps) };
  }

  function overdue(backfillLimit?: number): DueSchedule {
    return dueAtNoon(minutely, later, { misfirePolicy: 'backfill', backfillLimit });
  }

  it('fires every one of them, oldest first, where there is no limit', () => {
    expect(decideAll(overdue())).toEqual({ fires: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], gaps: [] });
  });

  it('fires the most recent ones up to its limit, oldest first, and counts the older ones as one gap', () => {
    expect(decideAll(overdue(3))).toEqual({ fires: [8, 9, 10], gaps: [[0, 8]] });
    expect(decideAll(overdue(1))).toEqual({ fires: [10], gaps: [[0, 10]] });
  });

  it('misses none where the limit is as large as what is due, or larger', () => {
    expect(decideAll(overdue(11)).gaps).toEqual([]);
    expect(decideAll(overdue(12)).fires).toHaveLength(11);
  });

  it('is cut once: what waits for its turn meanwhile is not cut again', () => {
    const first = decideDue(dueAtNoon(minutely, later, { misfirePolicy: 'backfill', backfillLimit: 3 }));
    const again = decideDue(
      dueAtNoon(minutely, 20 * MINUTE, {
        misfirePolicy: 'backfill',
        backfillLimit: 3,
        cursorUnixMs: first.nextFireAtUnixMs ?? 0,
        backfillUntilUnixMs: first.backfillUntilUnixMs,
      }),
    );

    expect(first).toMatchObject({ fireAtUnixMs: NOON + 8 * MINUTE, backfillUntilUnixMs: NOON + later });
    expect(again.fireAtUnixMs).toBe(NOON + 9 * MINUTE);
    expect(again.missed).toBeUndefined();
  });

  it('counts a year of one-second ticks that the limit leaves out exactly', () => {
    const year = 365 * DAY;
    const due = dueAtNoon(every('1s'), year, { misfirePolicy: 'backfill', backfillLimit: 10_000 });

    expect(decideDue(due)).toMatchObject({
      fireAtUnixMs: NOON + year - 9_999_000,
      missed: { firstAtUnixMs: NOON, count: year / 1_000 + 1 - 10_000 },
    });
  });
});

describe('decideDue, with a cursor that is no occurrence of the trigger', () => {
  const occurrences = occurrencesOf(cron('30 * * * *'), {});

  it('fires it on time', () => {
    expect(decideDue(dueAtNoon(cron('30 * * * *'), 10, { occurrences }))).toEqual({
      fireAtUnixMs: NOON,
      nextFireAtUnixMs: NOON + 30 * MINUTE,
      accountedUntilUnixMs: NOON,
    });
  });

  it('fires it late when nothing has become due since', () => {
    expect(decideDue(dueAtNoon(cron('30 * * * *'), 10 * MINUTE, { occurrences }))).toEqual({
      fireAtUnixMs: NOON,
      nextFireAtUnixMs: NOON + 30 * MINUTE,
      accountedUntilUnixMs: NOON + 10 * MINUTE,
    });
  });

  it('counts it among the missed ones otherwise', () => {
    expect(decideDue(dueAtNoon(cron('30 * * * *'), 95 * MINUTE, { occurrences }))).toEqual({
      fireAtUnixMs: NOON + 90 * MINUTE,
      missed: { firstAtUnixMs: NOON, count: 2 },
      nextFireAtUnixMs: NOON + 150 * MINUTE,
      accountedUntilUnixMs: NOON + 95 * MINUTE,
    });
  });
});

describe('overdueGap', () => {
  const occurrences = occurrencesOf(cron('* * * * *'), {});

  it('is undefined while the cursor lies ahead', () => {
    expect(overdueGap(occurrences, NOON, NOON - 1)).toBeUndefined();
  });

  it.each([
    [0, 1],
    [59_999, 1],
    [MINUTE, 2],
    [10 * MINUTE, 11],
  ])('%i ms after the cursor covers %i', (lateMs, count) => {
    expect(overdueGap(occurrences, NOON, NOON + lateMs)).toEqual({ firstAtUnixMs: NOON, count });
  });
});
