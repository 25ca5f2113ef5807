import {
  type ClaimCandidate,
  isMisfiredCandidate,
  type PendingRequest,
  type RunOrigin,
  type Schedule,
} from '../../../lib/schedules/index.js';
import { type ClaimSituation, planClaim, startsRun } from '../../../lib/schedules/claim-plan.js';

const NOON = Date.UTC(2026, 0, 15, 12);
const MINUTE = 60_000;

function schedule(id: string, given: Partial<Schedule> = {}): Schedule {
  return {
    id,
    name: id,
    jobName: 'job',
    kind: 'cron',
    expr: '* * * * *',
    timezone: 'UTC',
    anchorAtUnixMs: NOON - MINUTE,
    misfirePolicy: 'fire_now',
    concurrencyPolicy: 'forbid',
    recover: false,
    timeoutMs: 0,
    isEnabled: true,
    state: 'armed',
    nextFireAtUnixMs: NOON,
    version: 1,
    createdAtUnixMs: NOON - MINUTE,
    createdBy: 'system',
    updatedAtUnixMs: NOON - MINUTE,
    updatedBy: 'system',
    ...given,
  };
}

function occurrence(of: Schedule, cursorUnixMs = NOON): ClaimCandidate {
  return { kind: 'occurrence', schedule: of, cursorUnixMs };
}

function request(
  of: Schedule,
  scheduledAtUnixMs = NOON,
  origin: RunOrigin = 'manual',
): Extract<ClaimCandidate, { kind: 'request' }> {
  const pending: PendingRequest = {
    id: `${of.id}-${origin}-${scheduledAtUnixMs}`,
    origin,
    scheduledAtUnixMs,
    attempt: 1,
    recoveries: 0,
    idempotencyKey: 'key',
    isQueued: false,
    createdBy: 'operator',
  };
  return { kind: 'request', schedule: of, request: pending };
}

/** A range that an operator asked for, with an hour of it still to fire. */
function range(of: Schedule): ClaimCandidate {
  return {
    kind: 'backfill',
    schedule: of,
    backfill: { id: 'range', cursorUnixMs: NOON - 60 * MINUTE, toUnixMs: NOON, createdBy: 'operator' },
  };
}

function plan(candidates: readonly ClaimCandidate[], given: Partial<ClaimSituation> = {}) {
  return planClaim({
    candidates,
    activeScheduleIds: new Set(),
    queuedScheduleIds: new Set(),
    journaledThroughUnixMs: new Map(),
    nowUnixMs: NOON + 10,
    misfireThresholdMs: MINUTE,
    slots: 16,
    ...given,
  });
}

describe('planClaim', () => {
  it('orders by logical time, and a regular occurrence before a request of the same instant', () => {
    const [a, b, c] = [schedule('a'), schedule('b'), schedule('c')];
    const steps = plan([
      request(a),
      request(c, NOON - 1),
      occurrence(b),
      occurrence(a),
      occurrence(c, NOON - 2),
    ]);

    expect(steps.map((step) => `${step.schedule.id} ${step.kind}`)).toEqual([
      'c advance',
      'c request',
      'b advance',
      'a advance',
      'a request',
    ]);
  });

  it('lets the regular occurrence run and skips the manual fire of the same instant under forbid', () => {
    const a = schedule('a');

    expect(plan([request(a), occurrence(a)])).toMatchObject([
      { kind: 'advance', fire: 'run', due: { fireAtUnixMs: NOON, nextFireAtUnixMs: NOON + MINUTE } },
      { kind: 'request', fire: 'skip' },
    ]);
  });

  it('runs both under allow', () => {
    const a = schedule('a', { concurrencyPolicy: 'allow' });

    expect(plan([request(a), occurrence(a)]).map(startsRun)).toEqual([true, true]);
  });

  it('stops when the slots are used up, and leaves the rest due', () => {
    const candidates = ['a', 'b', 'c'].map((id, index) => occurrence(schedule(id), NOON + index));

    expect(plan(candidates, { slots: 2 }).map((step) => step.schedule.id)).toEqual(['a', 'b']);
  });

  it('spends no slot on what starts no run', () => {
    const suppressed = schedule('a');
    const missed = schedule('b', { misfirePolicy: 'skip', expr: '0 12 * * *' });
    const broken = schedule('c', { expr: 'bad' });
    const steps = plan(
      [occurrence(suppressed), occurrence(missed), occurrence(broken), occurrence(schedule('d'), NOON + 1)],
      { slots: 1, activeScheduleIds: new Set(['a']), nowUnixMs: NOON + 2 * MINUTE },
    );

    expect(steps.map((step) => [step.schedule.id, startsRun(step)])).toEqual([
      ['a', false],
      ['b', false],
      ['c', false],
      ['d', true],
    ]);
  });

  it('journals an occurrence that would overlap as skipped, and advances', () => {
    expect(plan([occurrence(schedule('a'))], { activeScheduleIds: new Set(['a']) })).toMatchObject([
      { kind: 'advance', fire: 'skip', due: { nextFireAtUnixMs: NOON + MINUTE } },
    ]);
  });

  it('leaves a recovery pending while a run of the schedule is active, also one of this very plan', () => {
    const a = schedule('a');
    const recovery = request(a, NOON + 1, 'recovery');

    expect(plan([recovery], { activeScheduleIds: new Set(['a']) })).toEqual([]);
    expect(plan([recovery, occurrence(a)]).map((step) => step.kind)).toEqual(['advance']);
    expect(plan([recovery])).toMatchObject([{ kind: 'request', fire: 'run' }]);
  });

  it('never lets one schedule decide about another', () => {
    const steps = plan([occurrence(schedule('a')), occurrence(schedule('b'))], {
      activeScheduleIds: new Set(['a']),
    });

    expect(steps).toMatchObject([{ fire: 'skip' }, { fire: 'run' }]);
  });

  it.each([
    ['an expression that is none', { expr: 'bad' }],
    ['a zone that is none', { timezone: 'Foo/Bar' }],
    ['an interval without a rate', { kind: 'interval' as const }],
    ['a single fire without a time', { kind: 'once' as const }],
  ])('parks a row with %s, and goes on with the others', (_, corruption) => {
    const steps = plan([occurrence(schedule('a', corruption)), occurrence(schedule('b'))]);

    expect(steps).toMatchObject([
      { kind: 'park', schedule: { id: 'a' }, cursorUnixMs: NOON, reason: expect.stringMatching(/\w/) },
      { kind: 'advance', schedule: { id: 'b' } },
    ]);
  });

  it('plans nothing without candidates', () => {
    expect(plan([])).toEqual([]);
  });
});

describe('planClaim, with a cursor that was moved back over journaled occurrences', () => {
  const late = { nowUnixMs: NOON + 10 * MINUTE + 10 };

  it('goes on behind what the journal holds', () => {
    expect(
      plan([occurrence(schedule('a'))], {
        ...late,
        journaledThroughUnixMs: new Map([['a', NOON + 7 * MINUTE]]),
      }),
    ).toMatchObject([
      {
        due: {
          fireAtUnixMs: NOON + 10 * MINUTE,
          missed: { firstAtUnixMs: NOON + 8 * MINUTE, count: 2 },
          nextFireAtUnixMs: NOON + 11 * MINUTE,
        },
      },
    ]);
  });

  it('fires nothing where all of it is journaled', () => {
    const [step] = plan([occurrence(schedule('a'))], {
      ...late,
      journaledThroughUnixMs: new Map([['a', NOON + 10 * MINUTE]]),
    });

    expect(step).toMatchObject({ due: { nextFireAtUnixMs: NOON + 11 * MINUTE } });
    expect(step && startsRun(step)).toBe(false);
  });

  it('goes on behind the last fire, also where the journal no longer holds it', () => {
    expect(
      plan([occurrence(schedule('a', { lastFireAtUnixMs: NOON + 7 * MINUTE }))], {
        ...late,
        journaledThroughUnixMs: new Map([['a', NOON + 2 * MINUTE]]),
      }),
    ).toMatchObject([
      {
        due: {
          fireAtUnixMs: NOON + 10 * MINUTE,
          missed: { firstAtUnixMs: NOON + 8 * MINUTE, count: 2 },
        },
      },
    ]);
  });

  it('never fires the last fire again, also where the cursor is on time', () => {
    const [step] = plan([occurrence(schedule('a', { lastFireAtUnixMs: NOON }))]);

    expect(step).toMatchObject({ due: { nextFireAtUnixMs: NOON + MINUTE } });
    expect(step && startsRun(step)).toBe(false);
  });

  it('ignores a journal that ends before the cursor', () => {
    expect(
      plan([occurrence(schedule('a'))], {
        ...late,
        journaledThroughUnixMs: new Map([['a', NOON - MINUTE]]),
      }),
    ).toMatchObject([{ due: { missed: { firstAtUnixMs: NOON, count: 10 } } }]);
  });

  it('ends a schedule without a further occurrence', () => {
    const single = schedule('a', { kind: 'once', fireAtUnixMs: NOON });

    expect(
      plan([occurrence(single)], { ...late, journaledThroughUnixMs: new Map([['a', NOON]]) }),
    ).toMatchObject([{ kind: 'advance', due: {} }]);
  });
});

describe('planClaim, with work that is owed', () => {
  const overdueBackfill = schedule('old', { misfirePolicy: 'backfill', lastFireAtUnixMs: 0 });

  it('gives slots to what is on time before any backlog', () => {
    const steps = plan(
      [
        occurrence(overdueBackfill, NOON - 60 * MINUTE),
        range(schedule('range')),
        occurrence(schedule('fresh')),
      ],
      { slots: 2 },
    );

    expect(steps.map((step) => step.schedule.id)).toEqual(['fresh', 'old']);
  });

  it.each(['forbid', 'queue', 'replace'] as const)('lets it wait for the active run under %s', (policy) => {
    const waiting = [
      request(schedule('a', { concurrencyPolicy: policy }), NOON, 'recovery'),
      request(schedule('a', { concurrencyPolicy: policy }), NOON, 'retry'),
      range(schedule('a', { concurrencyPolicy: policy })),
      occurrence(schedule('a', { concurrencyPolicy: policy, misfirePolicy: 'backfill' }), NOON - 60 * MINUTE),
    ];

    expect(plan(waiting, { activeScheduleIds: new Set(['a']) })).toEqual([]);
  });

  it('fires a past range one occurrence at a time, to its end', () => {
    expect(plan([range(schedule('a'))])).toMatchObject([
      { kind: 'backfill', nextUnixMs: NOON - 59 * MINUTE },
    ]);
    const last = range(schedule('a'));
    const ending = {
      ...last,
      backfill: { id: 'range', cursorUnixMs: NOON, toUnixMs: NOON + 30_000, createdBy: 'operator' },
    } as ClaimCandidate;
    expect(plan([ending])[0]).not.toHaveProperty('nextUnixMs');
  });
});

describe('planClaim, under the policy queue', () => {
  const a = schedule('a', { concurrencyPolicy: 'queue' });
  const active = { activeScheduleIds: new Set(['a']) };

  it('queues one fire and skips the next, also within one plan', () => {
    expect(plan([occurrence(a), request(a, NOON + 1)], active)).toMatchObject([
      { kind: 'advance', fire: 'queue' },
      { kind: 'request', fire: 'skip' },
    ]);
    expect(plan([occurrence(a)], { ...active, queuedScheduleIds: new Set(['a']) })).toMatchObject([
      { fire: 'skip' },
    ]);
  });

  it('lets the queued fire wait, and runs it when nothing is active', () => {
    const { request: pending } = request(a, NOON, 'schedule');
    const queued: ClaimCandidate = { kind: 'request', schedule: a, request: { ...pending, isQueued: true } };

    expect(plan([queued], { ...active, queuedScheduleIds: new Set(['a']) })).toEqual([]);
    expect(plan([queued], { queuedScheduleIds: new Set(['a']) })).toMatchObject([{ fire: 'run' }]);
  });
});

describe('planClaim, under the policy replace', () => {
  const a = schedule('a', { concurrencyPolicy: 'replace' });

  it('asks the active run to end, and leaves the fire due', () => {
    expect(plan([occurrence(a)], { activeScheduleIds: new Set(['a']) })).toEqual([
      { kind: 'replace', schedule: a },
    ]);
  });

  it('does not replace what this very plan starts', () => {
    expect(plan([occurrence(a), request(a, NOON + 1)]).map((step) => step.kind)).toEqual(['advance']);
  });
});

describe('isMisfiredCandidate', () => {
  it.each([
    ['an occurrence later than the threshold', occurrence(schedule('a'), NOON - MINUTE - 1), true],
    ['one exactly at the threshold', occurrence(schedule('a'), NOON - MINUTE), false],
    ['a request, however late', request(schedule('a'), NOON - 2 * MINUTE), false],
  ])('judges %s', (_, candidate, expected) => {
    expect(isMisfiredCandidate(candidate, { nowUnixMs: NOON, misfireThresholdMs: MINUTE })).toBe(expected);
  });
});
