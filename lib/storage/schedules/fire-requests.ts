import type { JsonValue, RunOrigin } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { mintId } from '../statements/identifiers.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** A fire to persist, for some node to claim. */
export interface FireRequest {
  readonly scheduleId: string;
  readonly origin: Extract<RunOrigin, 'manual' | 'schedule'>;
  readonly scheduledAtUnixMs: number;
  readonly occurrenceAtUnixMs?: number | undefined;
  /** Default: the request's own id. */
  readonly idempotencyKey?: string | undefined;
  /** The caller's key, under which the fire happens once. */
  readonly requestKey?: string | undefined;
  readonly params?: JsonValue | undefined;
  /** The span that asks for the fire, as a `traceparent`. */
  readonly traceParent?: string | undefined;
  readonly firesWhilePaused?: boolean;
  readonly isQueued?: boolean;
  readonly nowUnixMs: number;
  readonly actor: string;
}

/** A run that ended without success, to be repeated where its schedule says so. */
export interface RunToRepeat {
  readonly runId: string;
  readonly origin: Extract<RunOrigin, 'recovery' | 'retry'>;
  /** Whether this end counts towards `maxRecoveries`: a crash does, a graceful shutdown and a failure do not. */
  readonly countsAsRecovery: boolean;
  readonly dueAtUnixMs: number;
}

/** Persists wishes for fires, in the transaction of what causes them. */
export class FireRequests {
  private readonly insertText: string;
  private readonly findText: string;
  private readonly repeatText: string;

  constructor(schema: StoreSchema) {
    this.insertText = `
      insert into ${schema.fireRequest} (id, schedule_id, origin, scheduled_at_unix_ms, occurrence_at_unix_ms,
        due_at_unix_ms, attempt, recoveries, idempotency_key, request_key, params, trace_parent, fires_while_paused,
        is_queued, created_at_unix_ms, created_by)
      values ($1, $2, $3, $4, $5, $12, 1, 0, $6, $7, $8, $9, $10, $11, $12, $13)`;
    this.findText = `
      select idempotency_key from ${schema.fireRequest} where schedule_id = $1 and request_key = $2
      union all
      select idempotency_key from ${schema.run} where schedule_id = $1 and request_key = $2`;
    // Only for schedules that exist, and a recovery only where the schedule has `recover`; at most one for a run, by
    // crn_fire_request_repeats_key while it waits and by crn_run_repeats_key once it ran. The logical time, the key and
    // the params are those of the first attempt.
    this.repeatText = `
      insert into ${schema.fireRequest} (id, schedule_id, origin, scheduled_at_unix_ms, occurrence_at_unix_ms,
        due_at_unix_ms, attempt, recoveries, repeats_run_id, idempotency_key, params, trace_parent,
        fires_while_paused, is_queued, created_at_unix_ms, created_by)
      select again.request_id, r.schedule_id, again.origin, r.scheduled_at_unix_ms, r.occurrence_at_unix_ms,
        again.due_at, r.attempt + 1, r.recoveries + again.counts::int, r.id, r.idempotency_key, r.params,
        r.trace_parent, again.origin = 'retry', false, $6, r.created_by
      from unnest($1::uuid[], $2::uuid[], $3::text[], $4::boolean[], $5::bigint[])
        as again (request_id, run_id, origin, counts, due_at)
      join ${schema.run} r on r.id = again.run_id
      join ${schema.schedule} s on s.id = r.schedule_id and (s.recover or again.origin = 'retry')
      where not again.counts or r.recoveries < $7
      on conflict do nothing
      returning repeats_run_id`;
  }

  /** @returns the request's id. */
  async add(executor: Executor, request: FireRequest): Promise<string> {
    const id = mintId(request.nowUnixMs);
    await executor.query(this.insertText, [
      id,
      request.scheduleId,
      request.origin,
      request.scheduledAtUnixMs,
      request.occurrenceAtUnixMs ?? null,
      request.idempotencyKey ?? id,
      request.requestKey ?? null,
      request.params === undefined ? null : JSON.stringify(request.params),
      request.traceParent ?? null,
      request.firesWhilePaused ?? false,
      request.isQueued ?? false,
      request.nowUnixMs,
      request.actor,
    ]);
    return id;
  }

  /**
   * Finds the manual fire that was asked for under a key, pending or in the journal. The caller holds the schedule
   * locked, so that no other is asked for meanwhile.
   *
   * @returns the id of its request.
   */
  async findByKey(executor: Executor, scheduleId: string, requestKey: string): Promise<string | undefined> {
    const [row] = await executor.query<{ idempotency_key: string }>(this.findText, [scheduleId, requestKey]);
    return row?.idempotency_key;
  }

  /** @returns the runs whose repetition was requested. */
  async repeat(
    executor: Executor,
    runs: readonly RunToRepeat[],
    nowUnixMs: number,
    maxRecoveries: number,
  ): Promise<ReadonlySet<string>> {
    if (runs.length === 0) {
      return new Set();
    }
    const rows = await executor.query<{ repeats_run_id: string }>(this.repeatText, [
      runs.map(() => mintId(nowUnixMs)),
      runs.map((run) => run.runId),
      runs.map((run) => run.origin),
      runs.map((run) => run.countsAsRecovery),
      runs.map((run) => run.dueAtUnixMs),
      nowUnixMs,
      maxRecoveries,
    ]);
    return new Set(rows.map((row) => row.repeats_run_id));
  }
}
