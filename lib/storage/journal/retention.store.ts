import type { Connections } from '../connections/connections.js';
import { FIRST_ID, smallestIdAt } from '../statements/identifiers.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Rows deleted by one statement: small enough that nothing waits for it. */
const BATCH_SIZE = 1_000;

/** Rows looked at by one statement: those that stay among those that go are not read without bound either. */
const EXAMINED_SIZE = 10_000;

/** Schedules of which one statement finds out whether they have too many runs. */
const SCHEDULES_SIZE = 100;

/** A node that has been silent for this long is forgotten. */
const FORGET_NODE_AFTER_MS = 24 * 60 * 60 * 1_000;

/** The runs of a schedule that are more than the journal keeps of it: all up to this one. */
export interface ExcessRuns {
  readonly scheduleId: string;
  readonly throughRunId: string;
}

/** What a look at some schedules found. */
export interface ExcessRunsBatch {
  readonly excesses: readonly ExcessRuns[];
  /** Where the next look goes on; undefined after the last. */
  readonly next: string | undefined;
}

/**
 * Deletes what is older, or more, than the store keeps: terminal runs only, in bounded batches, each a statement of its
 * own. SKIP LOCKED: several nodes prune at once, and none waits; and because only running runs are locked or changed by
 * claims, heartbeats and outcomes, nobody waits for a batch.
 *
 * A batch returns where the next one goes on, and undefined where it was the last. What somebody holds is left to the
 * next sweep.
 */
export class RetentionStore {
  private readonly pruneByAgeText: string;
  private readonly pruneByCountText: string;
  private readonly excessText: string;
  private readonly pruneAuditText: string;
  private readonly forgetNodesText: string;
  private readonly forgetNamesText: string;

  constructor(
    schema: StoreSchema,
    private readonly connections: Pick<Connections, 'now' | 'query'>,
  ) {
    // Ids sort by the time of the claim, so that the primary key is the index of an age; what counts is the time of the
    // end, which is later.
    this.pruneByAgeText = pruneRunsText(schema, 'id > $1::uuid and id < $2::uuid');
    this.pruneByCountText = pruneRunsText(
      schema,
      'schedule_id = $5::uuid and id > $1::uuid and id <= $2::uuid',
    );
    // One step of the index from schedule to schedule, and one look at the end of what it keeps of each: deleted
    // schedules are found as well, and the runs themselves are not read.
    this.excessText = `
      with recursive journaled (schedule_id, number) as (
        (select r.schedule_id, 1 from ${schema.run} r where r.schedule_id > $1::uuid order by r.schedule_id limit 1)
        union all
        select following.schedule_id, journaled.number + 1
        from journaled, lateral (
          select r.schedule_id from ${schema.run} r
          where r.schedule_id > journaled.schedule_id order by r.schedule_id limit 1
        ) following
        where journaled.number < ${SCHEDULES_SIZE}
      )
      select journaled.schedule_id, (
        select r.id from ${schema.run} r
        where r.schedule_id = journaled.schedule_id order by r.id desc offset $2::bigint limit 1
      ) as through_run_id
      from journaled order by journaled.schedule_id`;
    this.pruneAuditText = `
      delete from ${schema.audit} where id in (
        select id from ${schema.audit}
        where id > $1::uuid and id < $2::uuid order by id limit ${BATCH_SIZE} for update skip locked
      ) returning id`;
    this.forgetNamesText = `
      delete from ${schema.scheduleName} n
      where not exists (select from ${schema.schedule} s where s.id = n.schedule_id)
        and not exists (select from ${schema.run} r where r.schedule_id = n.schedule_id)`;
    this.forgetNodesText = `delete from ${schema.node} where heartbeat_at_unix_ms < $1::bigint`;
  }

  /** Deletes runs that ended more than `retentionMs` ago, and failures only where they ended more than `failedMs` ago. */
  async pruneRunsByAge(
    { retentionMs, failedMs }: { readonly retentionMs: number; readonly failedMs: number },
    after = FIRST_ID,
  ): Promise<string | undefined> {
    const now = await this.connections.now('engine');
    const endedBefore = now - retentionMs;
    return this.pruneRuns(this.pruneByAgeText, [
      after,
      smallestIdAt(endedBefore),
      endedBefore,
      now - Math.max(failedMs, retentionMs),
    ]);
  }

  /** Looks which schedules have more than `keep` runs in the journal. */
  async findExcess(keep: number, after = FIRST_ID): Promise<ExcessRunsBatch> {
    const rows = await this.connections.query<{ schedule_id: string; through_run_id: string | null }>(
      'engine',
      this.excessText,
      [after, keep],
    );
    return {
      excesses: rows.flatMap(({ schedule_id: scheduleId, through_run_id: throughRunId }) =>
        throughRunId === null ? [] : [{ scheduleId, throughRunId }],
      ),
      next: rows.length === SCHEDULES_SIZE ? rows.at(-1)?.schedule_id : undefined,
    };
  }

  /** Deletes the runs that a schedule has too many, failures only where they ended more than `failedMs` ago. */
  async pruneExcess(
    { scheduleId, throughRunId }: ExcessRuns,
    failedMs: number,
    after = FIRST_ID,
  ): Promise<string | undefined> {
    const now = await this.connections.now('engine');
    return this.pruneRuns(this.pruneByCountText, [after, throughRunId, null, now - failedMs, scheduleId]);
  }

  /** Deletes audit records that are older than `retentionMs`. */
  async pruneAudit(retentionMs: number, after = FIRST_ID): Promise<string | undefined> {
    const cutoff = (await this.connections.now('engine')) - retentionMs;
    const deleted = await this.connections.query<{ id: string }>('engine', this.pruneAuditText, [
      after,
      smallestIdAt(cutoff),
    ]);
    return deleted.length === BATCH_SIZE
      ? deleted.reduce((last, { id }) => (id > last ? id : last), after)
      : undefined;
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

  private async pruneRuns(text: string, values: readonly unknown[]): Promise<string | undefined> {
    const [row] = await this.connections.query<{ next: string | null }>('engine', text, values);
    return row?.next ?? undefined;
  }
}

/**
 * The statement that deletes one batch of runs within a range of ids, oldest first.
 *
 * Parameters: $1 the id after which it begins; $2 the end of the range; $3 before when a run must have ended, or null;
 * $4 before when a failure must have. The ids are given as arrays, because that leaves the planner nothing but the primary
 * key, whatever it knows of the table.
 */
function pruneRunsText(schema: StoreSchema, range: string): string {
  const endedAt = 'coalesce(finished_at_unix_ms, claimed_at_unix_ms)';
  return `
    with examined as materialized (
      select id,
        status <> 'running' and ($3::bigint is null or ${endedAt} < $3)
          and (status not in ('failed', 'abandoned') or ${endedAt} < $4::bigint) as is_doomed
      from ${schema.run} where ${range} order by id limit ${EXAMINED_SIZE}
    ),
    doomed as materialized (
      select id from examined where is_doomed order by id limit ${BATCH_SIZE}
    ),
    deleted as (
      delete from ${schema.run} where id = any(array(
        select id from ${schema.run} where id = any(array(select id from doomed)) order by id for update skip locked
      ))
    )
    select case
      when (select count(*) from doomed) = ${BATCH_SIZE} then (select id from doomed order by id desc limit 1)
      when (select count(*) from examined) = ${EXAMINED_SIZE} then (select id from examined order by id desc limit 1)
    end as next`;
}
