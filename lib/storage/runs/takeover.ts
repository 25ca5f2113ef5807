import type { Run } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import type { FireRequests } from '../schedules/fire-requests.js';
import { RUN_COLUMNS, toRun, type RunRow } from './run.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/**
 * A run whose node stopped heartbeating: abandoned, or canceled where somebody had asked for that, and whether it will be
 * fired again.
 */
export interface TakenOverRun {
  readonly run: Run;
  readonly willRecover: boolean;
}

/** Which running runs to take over, and by when a heartbeat counts as stale. */
export interface TakeoverRequest {
  readonly runIds: readonly string[];
  /** Runs whose heartbeat is older are stale. */
  readonly staleBeforeUnixMs: number;
  readonly nowUnixMs: number;
  readonly maxRecoveries: number;
}

/** Takes over stale runs. The caller's transaction already holds the locks of their schedules. */
export class Takeover {
  private readonly takeOverText: string;

  constructor(
    schema: StoreSchema,
    private readonly requests: FireRequests,
  ) {
    // The compare-and-set that fences a node that only seemed dead. A run that is locked is left to the next attempt: its
    // heartbeat or outcome is in flight, maybe in the commit of a transactional run, and must not hold up the claims of
    // everything else. Locked in id order, as everywhere.
    this.takeOverText = `
      with stale as (
        select id from ${schema.run}
        where id = any($1) and status = 'running' and heartbeat_at_unix_ms < $2
        order by id for update skip locked
      )
      update ${schema.run} r
      set status = case when r.cancel_requested_at_unix_ms is null then 'abandoned' else 'canceled' end,
        reason = coalesce(r.cancel_reason, 'heartbeat_lost'), finished_at_unix_ms = $3,
        error = 'The node ' || r.node_id || ' stopped heartbeating.'
      from stale where r.id = stale.id
      returning ${RUN_COLUMNS}`;
  }

  /** @returns the runs that were stale indeed, and are over now. */
  async takeOverStale(executor: Executor, request: TakeoverRequest): Promise<TakenOverRun[]> {
    if (request.runIds.length === 0) {
      return [];
    }
    const { nowUnixMs } = request;
    const rows = await executor.query<RunRow>(this.takeOverText, [
      request.runIds,
      request.staleBeforeUnixMs,
      nowUnixMs,
    ]);
    const abandoned = rows.filter((row) => row.status === 'abandoned');
    const recovered = await this.requests.repeat(
      executor,
      abandoned.map((row) => ({
        runId: row.id,
        origin: 'recovery',
        countsAsRecovery: true,
        dueAtUnixMs: nowUnixMs,
      })),
      nowUnixMs,
      request.maxRecoveries,
    );
    return rows.map((row) => ({ run: toRun(row), willRecover: recovered.has(row.id) }));
  }
}
