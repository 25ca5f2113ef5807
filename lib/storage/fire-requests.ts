import type { RequestOrigin } from '../schedules/index.js';
import type { Executor } from './executor.js';
import { mintId } from './identifiers.js';
import type { StoreSchema } from './store-schema.js';

/** A manual fire to persist. */
export interface ManualFire {
  readonly scheduleId: string;
  readonly nowUnixMs: number;
  readonly actor: string;
}

/** A run that ended without completing, for which a repetition may be owed. */
export interface IncompleteRun {
  readonly runId: string;
  /** Whether this end counts towards `maxRecoveries`: a crash does, a graceful shutdown does not. */
  readonly countsAsRecovery: boolean;
}

/** Persists wishes for extra fires, in the transaction of what causes them. */
export class FireRequests {
  private readonly manualText: string;
  private readonly recoveryText: string;

  constructor(schema: StoreSchema) {
    this.manualText = `
      insert into ${schema.fireRequest} (id, schedule_id, origin, scheduled_at_unix_ms, attempt, recoveries,
        idempotency_key, created_at_unix_ms, created_by)
      values ($1, $2, '${'manual' satisfies RequestOrigin}', $3, 1, 0, $4, $3, $5)`;
    // Only for schedules that exist and have \`recover\`; at most one for a run, by crn_fire_request_recovers_key while
    // it waits and by crn_run_recovers_key once it ran. The logical time and the key are those of the first attempt.
    this.recoveryText = `
      insert into ${schema.fireRequest} (id, schedule_id, origin, scheduled_at_unix_ms, attempt, recoveries,
        recovers_run_id, idempotency_key, created_at_unix_ms, created_by)
      select incomplete.request_id, r.schedule_id, '${'recovery' satisfies RequestOrigin}', r.scheduled_at_unix_ms,
        r.attempt + 1, r.recoveries + incomplete.counts::int, r.id, r.idempotency_key, $4, r.created_by
      from unnest($1::uuid[], $2::uuid[], $3::boolean[]) as incomplete (request_id, run_id, counts)
      join ${schema.run} r on r.id = incomplete.run_id
      join ${schema.schedule} s on s.id = r.schedule_id and s.recover
      where not incomplete.counts or r.recoveries < $5
      on conflict do nothing
      returning recovers_run_id`;
  }

  /** @returns the id of the request. */
  async addManual(executor: Executor, fire: ManualFire): Promise<string> {
    const id = mintId(fire.nowUnixMs);
    await executor.query(this.manualText, [id, fire.scheduleId, fire.nowUnixMs, id, fire.actor]);
    return id;
  }

  /** @returns the runs for which a recovery was requested. */
  async addRecoveries(
    executor: Executor,
    runs: readonly IncompleteRun[],
    nowUnixMs: number,
    maxRecoveries: number,
  ): Promise<ReadonlySet<string>> {
    if (runs.length === 0) {
      return new Set();
    }
    const rows = await executor.query<{ recovers_run_id: string }>(this.recoveryText, [
      runs.map(() => mintId(nowUnixMs)),
      runs.map((run) => run.runId),
      runs.map((run) => run.countsAsRecovery),
      nowUnixMs,
      maxRecoveries,
    ]);
    return new Set(rows.map((row) => row.recovers_run_id));
  }
}
