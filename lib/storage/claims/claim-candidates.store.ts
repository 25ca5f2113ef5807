import type { ClaimCandidate, JsonValue, Lateness, PendingRequest } from '../../schedules/index.js';
import { backfillWaits, claimableSchedule, cursorWaits, isDueRequest, isInBacklog } from './claimable.js';
import { optional, toNumber, toOptionalNumber } from '../statements/column-values.js';
import type { Questions } from '../connections/connections.js';
import type { Executor } from '../connections/executor.js';
import { CAN_FIRE, HAS_CURSOR } from '../schedules/can-fire.js';
import { FIRING_COLUMNS, toFiringSchedule, type FiringRow } from '../schedules/schedule.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What a node can take on. */
export interface ClaimCapacity extends Lateness {
  /** Jobs registered on the node; schedules of others stay due and untouched. */
  readonly jobNames: readonly string[];
  /** Most candidates of each kind. */
  readonly limit: number;
}

/** Whether there is anything beside due cursors, so that a claim need not look for it in vain. */
export interface ClaimOutlook {
  readonly has_requests: boolean;
  readonly has_backfills: boolean;
}

interface DueRow extends FiringRow {
  readonly backfill_until_unix_ms: number | string | null;
}

interface RequestRow extends FiringRow {
  readonly request_id: string;
  readonly request_origin: PendingRequest['origin'];
  readonly request_scheduled_at_unix_ms: number | string;
  readonly request_occurrence_at_unix_ms: number | string | null;
  readonly request_attempt: number;
  readonly request_recoveries: number;
  readonly request_repeats_run_id: string | null;
  readonly request_idempotency_key: string;
  readonly request_key: string | null;
  readonly request_params_json: string | null;
  readonly request_trace_parent: string | null;
  readonly request_is_queued: boolean;
  readonly request_created_by: string;
}

interface BackfillRow extends FiringRow {
  readonly backfill_id: string;
  readonly backfill_next_unix_ms: number | string;
  readonly backfill_to_unix_ms: number | string;
  readonly backfill_created_by: string;
}

const PARAMETERS = { jobNames: '$1', now: '$2', misfiredBefore: '$4' };

/**
 * Finds what a node can claim, and locks it: the schedules always, and a request or a range with its schedule. SKIP
 * LOCKED, so that no node waits for another's claim. The conditions stand beside the lock, so that PostgreSQL evaluates
 * them again on the newest version of a row that changed before it could be locked: a pause, a deletion or another
 * node's advance in between is seen.
 */
export class ClaimCandidatesStore {
  /** What a `ClaimOutlook` answers. */
  readonly outlook: Questions<ClaimOutlook>;
  private readonly dueText: string;
  private readonly requestedText: string;
  private readonly backfillsText: string;

  constructor(schema: StoreSchema) {
    this.outlook = {
      has_requests: `exists (select from ${schema.fireRequest})`,
      has_backfills: `exists (select from ${schema.backfill} where status = 'running')`,
    };
    const claimable = claimableSchedule(schema, PARAMETERS);
    const due = `${HAS_CURSOR} and s.next_fire_at_unix_ms <= $2::bigint and ${claimable}
      and not ${cursorWaits(schema, PARAMETERS)}`;
    // Backlogs apart, so that however many there are they cannot crowd out what is on time.
    this.dueText = `
      with on_time as (
        select ${FIRING_COLUMNS}, s.backfill_until_unix_ms from ${schema.schedule} s
        where ${due} and not ${isInBacklog(PARAMETERS)}
        order by s.next_fire_at_unix_ms limit $3
        for update skip locked
      ), backlog as (
        select ${FIRING_COLUMNS}, s.backfill_until_unix_ms from ${schema.schedule} s
        where ${due} and ${isInBacklog(PARAMETERS)}
        order by s.next_fire_at_unix_ms limit $3
        for update skip locked
      )
      select * from on_time union all select * from backlog`;
    this.requestedText = `
      select ${FIRING_COLUMNS}, q.id as request_id, q.origin as request_origin,
        q.scheduled_at_unix_ms as request_scheduled_at_unix_ms,
        q.occurrence_at_unix_ms as request_occurrence_at_unix_ms, q.attempt as request_attempt,
        q.recoveries as request_recoveries, q.repeats_run_id as request_repeats_run_id,
        q.idempotency_key as request_idempotency_key, q.request_key, q.params::text as request_params_json,
        q.trace_parent as request_trace_parent,
        q.is_queued as request_is_queued, q.created_by as request_created_by
      from ${schema.fireRequest} q join ${schema.schedule} s on s.id = q.schedule_id
      where ${claimable} and ${isDueRequest(schema, PARAMETERS)}
      order by q.scheduled_at_unix_ms, q.id limit $3
      for update of s, q skip locked`;
    this.backfillsText = `
      select ${FIRING_COLUMNS}, b.id as backfill_id, b.next_unix_ms as backfill_next_unix_ms,
        b.to_unix_ms as backfill_to_unix_ms, b.created_by as backfill_created_by
      from ${schema.backfill} b join ${schema.schedule} s on s.id = b.schedule_id
      where b.status = 'running' and ${CAN_FIRE} and ${claimable}
        and not ${backfillWaits(schema)}
      order by b.id limit $3
      for update of s, b skip locked`;
  }

  /** Locks what the node can claim now. */
  async lock(executor: Executor, outlook: ClaimOutlook, capacity: ClaimCapacity): Promise<ClaimCandidate[]> {
    const { jobNames, nowUnixMs, misfireThresholdMs, limit } = capacity;
    const values = [jobNames, nowUnixMs, limit];
    const requested = outlook.has_requests
      ? await executor.query<RequestRow>(this.requestedText, values, 'crn_claim_requested')
      : [];
    const backfills = outlook.has_backfills
      ? await executor.query<BackfillRow>(this.backfillsText, values, 'crn_claim_backfills')
      : [];
    // Last, so that no request of a schedule is found without the due cursor that goes before it: what was enabled, or
    // moved, between two statements is locked by then, and seen by the later snapshot.
    const due = await executor.query<DueRow>(
      this.dueText,
      [...values, nowUnixMs - misfireThresholdMs],
      'crn_claim_due',
    );
    return [
      ...due.map(toOccurrenceCandidate),
      ...requested.map(toRequestCandidate),
      ...backfills.map(toBackfillCandidate),
    ];
  }
}

function toOccurrenceCandidate(row: DueRow): ClaimCandidate {
  return {
    kind: 'occurrence',
    schedule: toFiringSchedule(row),
    cursorUnixMs: Number(row.next_fire_at_unix_ms),
    ...optional('backfillUntilUnixMs', toOptionalNumber(row.backfill_until_unix_ms)),
  };
}

function toRequestCandidate(row: RequestRow): ClaimCandidate {
  const { request_params_json: paramsJson } = row;
  return {
    kind: 'request',
    schedule: toFiringSchedule(row),
    request: {
      id: row.request_id,
      origin: row.request_origin,
      scheduledAtUnixMs: toNumber(row.request_scheduled_at_unix_ms),
      ...optional('occurrenceAtUnixMs', toOptionalNumber(row.request_occurrence_at_unix_ms)),
      attempt: row.request_attempt,
      recoveries: row.request_recoveries,
      ...optional('repeatsRunId', row.request_repeats_run_id),
      idempotencyKey: row.request_idempotency_key,
      ...optional('requestKey', row.request_key),
      ...(paramsJson === null ? {} : { params: JSON.parse(paramsJson) as JsonValue }),
      ...optional('traceParent', row.request_trace_parent),
      isQueued: row.request_is_queued,
      createdBy: row.request_created_by,
    },
  };
}

function toBackfillCandidate(row: BackfillRow): ClaimCandidate {
  return {
    kind: 'backfill',
    schedule: toFiringSchedule(row),
    backfill: {
      id: row.backfill_id,
      cursorUnixMs: toNumber(row.backfill_next_unix_ms),
      toUnixMs: toNumber(row.backfill_to_unix_ms),
      createdBy: row.backfill_created_by,
    },
  };
}
