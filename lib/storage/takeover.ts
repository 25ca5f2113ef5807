import type { Run } from '../schedules/index.js';
import type { Executor } from './executor.js';
import type { FireRequests } from './fire-requests.js';
import { RUN_COLUMNS, toRun, type RunRow } from './run.rows.js';
import type { StoreSchema } from './store-schema.js';

/** A run whose node stopped heartbeating, and whether it will be fired again. */
export interface AbandonedRun {
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

/** Declares stale runs abandoned. The caller's transaction already holds the locks of their schedules. */
export class Takeover {
  private readonly abandonText: string;

  constructor(
    schema: StoreSchema,
    private readonly requests: FireRequests,
  ) {
    // The compare-and-set that fences a node that only seemed dead: the row lock waits for a heartbeat or an outcome
    // in flight, and the condition is evaluated again on what that left behind. Locked in id order, as everywhere.
    this.abandonText = `
      with stale as (
        select id from ${schema.run}
        where id = any($1) and status = 'running' and heartbeat_at_unix_ms < $2
        order by id for update
      )
      update ${schema.run} r
      set status = 'abandoned', finished_at_unix_ms = $3,
        error = 'The node ' || r.node_id || ' stopped heartbeating.'
      from stale where r.id = stale.id
      returning ${RUN_COLUMNS}`;
  }

  /** @returns the runs that were stale indeed, now abandoned. */
  async abandonStale(executor: Executor, request: TakeoverRequest): Promise<AbandonedRun[]> {
    if (request.runIds.length === 0) {
      return [];
    }
    const rows = await executor.query<RunRow>(this.abandonText, [
      request.runIds,
      request.staleBeforeUnixMs,
      request.nowUnixMs,
    ]);
    const recovered = await this.requests.addRecoveries(
      executor,
      rows.map((row) => ({ runId: row.id, countsAsRecovery: true })),
      request.nowUnixMs,
      request.maxRecoveries,
    );
    return rows.map((row) => ({ run: toRun(row), willRecover: recovered.has(row.id) }));
  }
}
