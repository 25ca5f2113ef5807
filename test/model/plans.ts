import { planClaim, type ClaimSituation, type ClaimStep } from '../../lib/schedules/claim-plan.js';
import type { ClaimCandidate, Schedule } from '../../lib/schedules/index.js';
import { MANUAL_FIRE, OCCURRENCE_COUNT, type Candidate, type FireIndex } from './state.js';
import type { World } from './world.js';

/** What a claim is going to write. */
export interface Plan {
  /** Equal plans have equal ids. */
  readonly id: number;
  readonly fire?: { readonly index: FireIndex; readonly decision: 'run' | 'skip' };
  /** Occurrences, the first and the last, that one record covers. */
  readonly missed?: { readonly first: number; readonly last: number };
  readonly nextCursor?: number;
  readonly backlogUntil?: number;
}

/** What a plan is made from. */
export interface Situation {
  readonly candidate: Candidate;
  readonly cursor: number;
  readonly tick: number;
  readonly backlogUntil: number;
  readonly isActive: boolean;
  /** The latest occurrence that the journal holds, where the claim looked it up. */
  readonly journaledThrough: number | undefined;
}

/** The length of a tick. */
const TICK_MS = 1_000;

/** Plans claims with the library's own decisions, each situation once. */
export class Planner {
  private readonly bySituation = new Map<string, Plan>();
  private readonly byContent = new Map<string, Plan>();

  constructor(private readonly world: World) {}

  plan(situation: Situation): Plan {
    const key = Object.values(situation).join();
    const known = this.bySituation.get(key) ?? this.intern(this.decide(situation));
    this.bySituation.set(key, known);
    return known;
  }

  private decide(situation: Situation): Omit<Plan, 'id'> {
    const [step] = planClaim(this.situationOf(situation));
    return step === undefined ? {} : contentOf(step, situation);
  }

  private intern(content: Omit<Plan, 'id'>): Plan {
    const key = JSON.stringify(content);
    const plan = this.byContent.get(key) ?? { id: this.byContent.size, ...content };
    this.byContent.set(key, plan);
    return plan;
  }

  private situationOf(situation: Situation): ClaimSituation {
    const { tick, isActive, journaledThrough } = situation;
    const schedule = this.schedule();
    return {
      candidates: [candidateOf(situation, schedule)],
      activeScheduleIds: new Set(isActive ? [schedule.id] : []),
      queuedScheduleIds: new Set(),
      journaledThroughUnixMs: new Map(
        journaledThrough === undefined ? [] : [[schedule.id, journaledThrough * TICK_MS]],
      ),
      nowUnixMs: tick * TICK_MS,
      misfireThresholdMs: 0,
      slots: 1,
    };
  }

  private schedule(): Schedule {
    const { misfirePolicy, concurrencyPolicy } = this.world;
    return {
      id: 'schedule',
      name: 'schedule',
      jobName: 'job',
      kind: 'interval',
      everyMs: TICK_MS,
      startsAtUnixMs: TICK_MS,
      endsAtUnixMs: OCCURRENCE_COUNT * TICK_MS,
      anchorAtUnixMs: TICK_MS,
      misfirePolicy,
      ...(misfirePolicy === 'backfill' ? { backfillLimit: 2 } : {}),
      concurrencyPolicy,
      recover: true,
      timeoutMs: 0,
      isEnabled: true,
      state: 'armed',
      version: 1,
      createdAtUnixMs: 0,
      createdBy: 'model',
      updatedAtUnixMs: 0,
      updatedBy: 'model',
    };
  }
}

function candidateOf(situation: Situation, schedule: Schedule): ClaimCandidate {
  const { candidate, cursor, backlogUntil, tick } = situation;
  if (candidate === 'cursor') {
    return {
      kind: 'occurrence',
      schedule,
      cursorUnixMs: cursor * TICK_MS,
      ...(backlogUntil === 0 ? {} : { backfillUntilUnixMs: backlogUntil * TICK_MS }),
    };
  }
  return {
    kind: 'request',
    schedule,
    request: {
      id: 'request',
      origin: candidate === MANUAL_FIRE ? 'manual' : 'recovery',
      scheduledAtUnixMs: tick * TICK_MS,
      attempt: 1,
      recoveries: 0,
      idempotencyKey: 'key',
      isQueued: false,
      createdBy: 'model',
    },
  };
}

function contentOf(step: ClaimStep, { candidate }: Situation): Omit<Plan, 'id'> {
  if (step.kind === 'request' && candidate !== 'cursor') {
    return { fire: { index: candidate, decision: fired(step.fire) } };
  }
  if (step.kind !== 'advance') {
    throw new Error(`The model knows no ${step.kind}.`);
  }
  const { fireAtUnixMs, missed, nextFireAtUnixMs, backfillUntilUnixMs } = step.due;
  return {
    ...(fireAtUnixMs === undefined
      ? {}
      : { fire: { index: fireAtUnixMs / TICK_MS - 1, decision: fired(step.fire) } }),
    ...(missed === undefined ? {} : { missed: gapOf(missed.firstAtUnixMs / TICK_MS, missed.count) }),
    nextCursor: nextFireAtUnixMs === undefined ? OCCURRENCE_COUNT + 1 : nextFireAtUnixMs / TICK_MS,
    ...(backfillUntilUnixMs === undefined ? {} : { backlogUntil: backfillUntilUnixMs / TICK_MS }),
  };
}

function gapOf(first: number, count: number): { readonly first: number; readonly last: number } {
  return { first, last: first + count - 1 };
}

function fired(decision: 'run' | 'skip' | 'queue'): 'run' | 'skip' {
  if (decision === 'queue') {
    throw new Error('The model knows no queue.');
  }
  return decision;
}
