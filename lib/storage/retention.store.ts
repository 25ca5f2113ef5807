import type { Connections } from './connections.js';
import { smallestIdAt } from './identifiers.js';
import type { StoreSchema } from './store-schema.js';

/** Rows deleted by one statement: small enough that nothing waits for it. */
const BATCH_SIZE = 1_000;

/** A node that has been silent for this long is forgotten. */
const FORGET_NODE_AFTER_MS = 24 * 60 * 60 * 1_000;

/** Deletes what is older than the journal is kept. */
export class RetentionStore {
  private readonly pruneRunsText: string;
  private readonly pruneAuditText: string;
  private readonly forgetNodesText: string;
  private readonly forgetNamesText: string;

  constructor(
    schema: StoreSchema,
    private readonly connections: Connections,
  ) {
    // Ids sort by the time of the claim, so that the primary key is the index of this range. Only terminal runs, and
    // by the time they ended. SKIP LOCKED: several nodes prune at once, and none waits.
    this.pruneRunsText = `
      delete from ${schema.run} where id in (
        select id from ${schema.run}
        where id < $1::uuid and status <> 'running'
          and coalesce(finished_at_unix_ms, claimed_at_unix_ms) < $2::bigint
        order by id limit ${BATCH_SIZE}
        for update skip locked
      ) returning 1 as deleted`;
    this.pruneAuditText = `
      delete from ${schema.audit} where id in (
        select id from ${schema.audit} where id < $1::uuid order by id limit ${BATCH_SIZE} for update skip locked
      ) returning 1 as deleted`;
    this.forgetNamesText = `
      delete from ${schema.scheduleName} n
      where not exists (select from ${schema.schedule} s where s.id = n.schedule_id)
        and not exists (select from ${schema.run} r where r.schedule_id = n.schedule_id)`;
    this.forgetNodesText = `delete from ${schema.node} where heartbeat_at_unix_ms < $1::bigint`;
  }

  /**
   * Deletes one bounded batch of terminal runs that ended more than `retentionMs` ago.
   *
   * @returns whether there may be more.
   */
  async pruneRuns(retentionMs: number): Promise<boolean> {
    const cutoff = (await this.connections.now('engine')) - retentionMs;
    const deleted = await this.connections.query('engine', this.pruneRunsText, [
      smallestIdAt(cutoff),
      cutoff,
    ]);
    return deleted.length === BATCH_SIZE;
  }

  /**
   * Deletes one bounded batch of audit records that are older than `retentionMs`.
   *
   * @returns whether there may be more.
   */
  async pruneAudit(retentionMs: number): Promise<boolean> {
    const cutoff = (await this.connections.now('engine')) - retentionMs;
    const deleted = await this.connections.query('engine', this.pruneAuditText, [smallestIdAt(cutoff)]);
    return deleted.length === BATCH_SIZE;
  }

  /** Removes nodes that died without saying good-bye. */
  async forgetDeadNodes(): Promise<void> {
    await this.connections.query('engine', this.forgetNodesText, [
      (await this.connections.now('engine')) - FORGET_NODE_AFTER_MS,
    ]);
  }

  /** Removes the names of deleted schedules of which the journal holds no run any more. */
  async forgetUnusedNames(): Promise<void> {
    await this.connections.query('engine', this.forgetNamesText);
  }
}
