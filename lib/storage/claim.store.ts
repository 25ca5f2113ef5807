import {
  misfiredScheduleIds,
  planClaim,
  type ClaimCandidate,
  type ClaimStep,
  type JsonValue,
  type PendingRequest,
} from '../schedules/index.js';
import { toNumber } from './column-values.js';
import { journalClaim, type JournaledStep } from './claim-journal.js';
import { claimableRequest, claimableSchedule, HAS_CURSOR } from './claimable.js';
import type { Connections } from './connections.js';
import type { Executor } from './executor.js';
import { insertRunsSql, insertRunsValues, type NewRun } from './new-runs.js';
import { SCHEDULE_COLUMNS, toSchedule, type ScheduleRow } from './schedule.rows.js';
import type { StoreSchema } from './store-schema.js';
import type { AbandonedRun, Takeover } from './takeover.js';

/** What a node asks for when it claims. */
export interface ClaimRules {
  readonly nodeId: string;
  /** Jobs registered on this node; schedules of others stay due and untouched. */
  readonly jobNames: readonly string[];
  /** Free slots, at least 1: never more runs than this are claimed. */
  readonly slots: number;
  /** Schedules locked in one transaction, at most. */
  readonly batchSize: number;
  readonly misfireThresholdMs: number;
  readonly abandonedAfterMs: number;
  readonly maxRecoveries: number;
  /** Whether this node may declare others dead, asked with the store's now under the transaction. */
  readonly mayTakeOver: (nowUnixMs: number) => boolean;
}

/** A run that this node holds now, and must start at once. */
export interface ClaimedRun {
  readonly run: NewRun;
  readonly params: JsonValue | undefined;
  /** The schedule's own bound in ms; 0 inherits the module's. */
  readonly timeoutMs: number;
}

/** What one claim transaction did. */
export interface ClaimResult {
  readonly claimed: readonly ClaimedRun[];
  /** Journaled without being executed: missed, skipped, and failed for a parked schedule. */
  readonly journaled: readonly NewRun[];
  readonly abandoned: readonly AbandonedRun[];
  /** Fires dropped because their occurrence is in the journal already. */
  readonly refused: readonly NewRun[];
}

interface RequestRow extends ScheduleRow {
  readonly request_id: string;
  readonly request_origin: PendingRequest['origin'];
  readonly request_scheduled_at_unix_ms: number | string;
  readonly request_attempt: number;
  readonly request_recoveries: number;
  readonly request_recovers_run_id: string | null;
  readonly request_idempotency_key: string;
  readonly request_created_by: string;
}

/**
 * Claims fires. Everything a claim does (cursors, journal rows, consumed requests, takeovers) commits in one
 * transaction or not at all.
 *
 * Each fire is claimed by exactly one node: the row lock of its schedule serialises every claim of that schedule, the
 * cursor that the winner advanced is no longer due for whoever comes next, and the unique index on (schedule,
 * occurrence) of the journal refuses a second run even where a cursor was moved back.
 */
export class ClaimStore {
  private readonly dueText: string;
  private readonly requestedText: string;
  private readonly runningText: string;
  private readonly journaledThroughText: string;
  private readonly writeText: string;

  constructor(
    schema: StoreSchema,
    private readonly connections: Connections,
    private readonly takeover: Takeover,
  ) {
    // SKIP LOCKED: no node waits for another's claim. The conditions stand beside the lock, so that PostgreSQL
    // evaluates them again on the newest version of a row that changed before it could be locked: a pause, a deletion
    // or another node's advance in between is seen.
    this.dueText = `
      select ${SCHEDULE_COLUMNS} from ${schema.schedule} s
      where ${HAS_CURSOR} and s.next_fire_at_unix_ms <= $1::bigint and ${claimableSchedule('$2')}
      order by s.next_fire_at_unix_ms limit $3
      for update skip locked`;
    this.requestedText = `
      select ${SCHEDULE_COLUMNS}, q.id as request_id, q.origin as request_origin,
        q.scheduled_at_unix_ms as request_scheduled_at_unix_ms, q.attempt as request_attempt,
        q.recoveries as request_recoveries, q.recovers_run_id as request_recovers_run_id,
        q.idempotency_key as request_idempotency_key, q.created_by as request_created_by
      from ${schema.fireRequest} q join ${schema.schedule} s on s.id = q.schedule_id
      where ${claimableSchedule('$1')} and ${claimableRequest(schema)}
      order by q.scheduled_at_unix_ms, q.id limit $2
      for update of s, q skip locked`;
    // A statement of its own after the locks: its snapshot sees every run that another node claimed under them.
    this.runningText = `
      select id, schedule_id, heartbeat_at_unix_ms from ${schema.run}
      where status = 'running' and schedule_id = any($1::uuid[])`;
    this.journaledThroughText = `
      select schedule.id, (
        select max(r.scheduled_at_unix_ms) from ${schema.run} r
        where r.schedule_id = schedule.id and r.origin = 'schedule'
      ) as through
      from unnest($1::uuid[]) as schedule (id)`;
    this.writeText = `
      with advanced as (
        update ${schema.schedule} s
        set next_fire_at_unix_ms = step.next, parked_reason = step.parked,
          last_fire_at_unix_ms = greatest(step.fired, s.last_fire_at_unix_ms),
          accounted_until_unix_ms = greatest(step.accounted, s.accounted_until_unix_ms)
        from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[])
          as step (id, next, fired, parked, accounted)
        where s.id = step.id
      ), consumed as (
        delete from ${schema.fireRequest} where id = any($6::uuid[])
      )
      ${insertRunsSql(schema, 7)}`;
  }

  /** Claims what is due, up to the node's free slots. */
  async claim(rules: ClaimRules): Promise<ClaimResult> {
    return this.connections.transaction('engine', async ({ executor, nowUnixMs }) => {
      const candidates = await this.lockCandidates(executor, rules, nowUnixMs);
      if (candidates.length === 0) {
        return { claimed: [], journaled: [], abandoned: [], refused: [] };
      }
      const { activeScheduleIds, abandoned } = await this.settleActiveRuns(
        executor,
        candidates,
        rules,
        nowUnixMs,
      );
      const steps = planClaim({
        candidates,
        activeScheduleIds,
        journaledThroughUnixMs: await this.journaledThrough(executor, candidates, rules, nowUnixMs),
        nowUnixMs,
        misfireThresholdMs: rules.misfireThresholdMs,
        slots: rules.slots,
      });
      return { ...(await this.write(executor, steps, rules, nowUnixMs)), abandoned };
    });
  }

  private async lockCandidates(
    executor: Executor,
    rules: ClaimRules,
    nowUnixMs: number,
  ): Promise<ClaimCandidate[]> {
    const limit = Math.min(rules.batchSize, rules.slots);
    const due = await executor.query<ScheduleRow>(
      this.dueText,
      [nowUnixMs, rules.jobNames, limit],
      'crn_claim_due',
    );
    const requested = await executor.query<RequestRow>(
      this.requestedText,
      [rules.jobNames, limit],
      'crn_claim_requested',
    );
    return [
      ...due.map((row): ClaimCandidate => ({
        kind: 'occurrence',
        schedule: toSchedule(row),
        cursorUnixMs: Number(row.next_fire_at_unix_ms),
      })),
      ...requested.map((row): ClaimCandidate => ({
        kind: 'request',
        schedule: toSchedule(row),
        request: toPendingRequest(row),
      })),
    ];
  }

  /** Takes over stale runs of the candidates before the concurrency policy looks at what is running. */
  private async settleActiveRuns(
    executor: Executor,
    candidates: readonly ClaimCandidate[],
    rules: ClaimRules,
    nowUnixMs: number,
  ): Promise<{ activeScheduleIds: ReadonlySet<string>; abandoned: AbandonedRun[] }> {
    const exclusive = candidates.filter(({ schedule }) => schedule.concurrencyPolicy === 'forbid');
    if (exclusive.length === 0) {
      return { activeScheduleIds: new Set(), abandoned: [] };
    }
    const running = await executor.query<{
      id: string;
      schedule_id: string;
      heartbeat_at_unix_ms: number;
    }>(this.runningText, [[...new Set(exclusive.map(({ schedule }) => schedule.id))]], 'crn_claim_running');
    const staleBeforeUnixMs = nowUnixMs - rules.abandonedAfterMs;
    const stale = running.filter((run) => run.heartbeat_at_unix_ms < staleBeforeUnixMs);
    const abandoned =
      stale.length > 0 && rules.mayTakeOver(nowUnixMs)
        ? await this.takeover.abandonStale(executor, {
            runIds: stale.map((run) => run.id),
            staleBeforeUnixMs,
            nowUnixMs,
            maxRecoveries: rules.maxRecoveries,
          })
        : [];
    const abandonedIds = new Set(abandoned.map(({ run }) => run.id));
    const active = running.filter((run) => !abandonedIds.has(run.id));
    return { activeScheduleIds: new Set(active.map((run) => run.schedule_id)), abandoned };
  }

  private async journaledThrough(
    executor: Executor,
    candidates: readonly ClaimCandidate[],
    rules: ClaimRules,
    nowUnixMs: number,
  ): Promise<ReadonlyMap<string, number>> {
    const misfired = misfiredScheduleIds(candidates, nowUnixMs, rules.misfireThresholdMs);
    if (misfired.length === 0) {
      return new Map();
    }
    const rows = await executor.query<{ id: string; through: number | null }>(
      this.journaledThroughText,
      [misfired],
      'crn_claim_journaled_through',
    );
    return new Map(rows.flatMap(({ id, through }) => (through === null ? [] : [[id, through] as const])));
  }

  private async write(
    executor: Executor,
    steps: readonly ClaimStep[],
    rules: ClaimRules,
    nowUnixMs: number,
  ): Promise<Omit<ClaimResult, 'abandoned'>> {
    const journaled = steps.map((step) => journalClaim(step, { nodeId: rules.nodeId, nowUnixMs }));
    const runs = journaled.flatMap((entry) => entry.runs);
    const advanced = steps.filter((step) => step.kind !== 'request');
    const rows = await executor.query<{ id: string }>(
      this.writeText,
      [
        advanced.map((step) => step.schedule.id),
        advanced.map((step) => (step.kind === 'advance' ? (step.decision.nextFireAtUnixMs ?? null) : null)),
        advanced.map((step) => (step.kind === 'advance' ? (step.decision.fireAtUnixMs ?? null) : null)),
        advanced.map((step) => (step.kind === 'park' ? step.reason : null)),
        advanced.map((step) => (step.kind === 'advance' ? step.decision.accountedUntilUnixMs : null)),
        steps.flatMap((step) => (step.kind === 'request' ? [step.request.id] : [])),
        ...insertRunsValues(runs),
      ],
      'crn_claim_write',
    );
    return sortOut(journaled, new Set(rows.map((row) => row.id)));
  }
}

function sortOut(
  steps: readonly JournaledStep[],
  insertedIds: ReadonlySet<string>,
): Omit<ClaimResult, 'abandoned'> {
  const runs = steps.flatMap((step) => step.runs);
  return {
    claimed: steps.flatMap(({ runs: ofStep, schedule }) =>
      ofStep
        .filter((run) => run.status === 'running' && insertedIds.has(run.id))
        .map((run) => ({ run, params: schedule.params, timeoutMs: schedule.timeoutMs })),
    ),
    journaled: runs.filter((run) => run.status !== 'running' && insertedIds.has(run.id)),
    refused: runs.filter((run) => !insertedIds.has(run.id)),
  };
}

function toPendingRequest(row: RequestRow): PendingRequest {
  return {
    id: row.request_id,
    origin: row.request_origin,
    scheduledAtUnixMs: toNumber(row.request_scheduled_at_unix_ms),
    attempt: row.request_attempt,
    recoveries: row.request_recoveries,
    ...(row.request_recovers_run_id === null ? {} : { recoversRunId: row.request_recovers_run_id }),
    idempotencyKey: row.request_idempotency_key,
    createdBy: row.request_created_by,
  };
}
