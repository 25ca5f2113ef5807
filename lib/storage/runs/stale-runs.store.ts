import type { Connections } from '../connections/connections.js';
import type { EnvironmentStore } from '../environment.store.js';
import type { TakenOverRun, Takeover } from './takeover.js';
import type { StoreClock } from '../store-clock.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Runs taken over in one transaction; what is left is found by the next sweep. */
const SWEEP_LIMIT = 200;

/** How a sweep judges and treats stale runs. */
export interface SweepRules {
  readonly abandonedAfterMs: number;
  readonly maxRecoveries: number;
  /** Whether this node may declare others dead, asked with the store's now under the transaction. */
  readonly mayTakeOver: (nowUnixMs: number) => boolean;
}

/** Finds runs whose node stopped heartbeating, and takes them over. */
export class StaleRunsStore {
  private readonly peekText: string;
  private readonly staleText: string;
  private readonly lockText: string;

  constructor(
    schema: StoreSchema,
    clock: StoreClock,
    private readonly connections: Connections,
    private readonly environment: EnvironmentStore,
    private readonly takeover: Takeover,
  ) {
    this.peekText = `
      select ${environment.stored} as environment from ${schema.run}
      where status = 'running' and heartbeat_at_unix_ms < (select ${clock.nowSql}) - $1::bigint limit 1`;
    this.staleText = `
      select id, schedule_id from ${schema.run}
      where status = 'running' and heartbeat_at_unix_ms < $1
      order by heartbeat_at_unix_ms limit ${SWEEP_LIMIT}`;
    // Schedules before runs, the lock order of the whole store. A schedule that somebody else holds is left to the
    // next sweep; a run whose schedule was deleted needs no lock but its own.
    this.lockText = `
      with locked as (
        select id from ${schema.schedule} where id = any($1) order by id for update skip locked
      )
      select candidate.id from unnest($1::uuid[]) as candidate (id)
      where exists (select from locked where locked.id = candidate.id)
        or not exists (select from ${schema.schedule} s where s.id = candidate.id)`;
  }

  /** Abandons stale runs, and requests the recoveries they are owed, in one transaction. */
  async sweep(rules: SweepRules): Promise<TakenOverRun[]> {
    // Nearly always nothing is stale, or the store is another environment's, which one statement without a transaction
    // finds out.
    const [found] = await this.connections.query<{ environment: string | null }>(
      'engine',
      this.peekText,
      [rules.abandonedAfterMs],
      'crn_stale_peek',
    );
    if (found === undefined || !this.environment.isOurs(found.environment ?? undefined)) {
      return [];
    }
    return this.environment.transaction('engine', async ({ executor, nowUnixMs }) => {
      if (!rules.mayTakeOver(nowUnixMs)) {
        return [];
      }
      const staleBeforeUnixMs = nowUnixMs - rules.abandonedAfterMs;
      const stale = await executor.query<{ id: string; schedule_id: string }>(this.staleText, [
        staleBeforeUnixMs,
      ]);
      const held = await executor.query<{ id: string }>(this.lockText, [
        [...new Set(stale.map((run) => run.schedule_id))],
      ]);
      const heldIds = new Set(held.map((schedule) => schedule.id));
      return this.takeover.takeOverStale(executor, {
        runIds: stale.filter((run) => heldIds.has(run.schedule_id)).map((run) => run.id),
        staleBeforeUnixMs,
        nowUnixMs,
        maxRecoveries: rules.maxRecoveries,
      });
    });
  }
}
