import type { CancelRequest } from '../runs/cancel-requests.js';
import type { Connections } from '../connections/connections.js';
import type { StoreClock } from '../store-clock.js';
import { isRunning } from '../runs/is-running.js';
import { onlyRow } from '../statements/only-row.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** A node as it announces itself. */
export interface NodeDescription {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly jobNames: readonly string[];
  readonly slots: number;
  /** The version of this package. */
  readonly version: string;
}

/** A running run of this node, as its executor knows it. */
export interface BeatingRun {
  readonly id: string;
  readonly startedAtUnixMs: number;
}

interface AliveRun {
  readonly id: string;
  readonly cancel_reason: CancelRequest['reason'] | null;
}

/** What a heartbeat found out. */
export interface HeartbeatResult {
  /** The store's time of the heartbeat. */
  readonly nowUnixMs: number;
  /** Runs that are still this node's; any other was taken over. */
  readonly aliveIds: ReadonlySet<string>;
  /** Of these, the runs that are asked to end, and why. */
  readonly cancelReasons: ReadonlyMap<string, CancelRequest['reason']>;
}

/** A statement that another thread can run. */
export interface StandInStatement {
  readonly text: string;
  readonly values: readonly string[];
}

/** Keeps a node and its runs alive in the eyes of the others. */
export class HeartbeatStore {
  private readonly beatText: string;
  private readonly standInText: string;
  private readonly leaveText: string;

  constructor(
    schema: StoreSchema,
    clock: StoreClock,
    private readonly connections: Connections,
  ) {
    // Only what is still "running, and mine" is refreshed: a run that was taken over stays abandoned, and its absence
    // from the answer tells the node. Locked without waiting, so in whichever order: the commit
    // of one transactional run, however long it takes, must not make the node's other runs look abandoned. Whether a run
    // is still the node's does not depend on its lock.
    this.beatText = `
      with moment as materialized (select ${clock.nowSql} as now),
      node as (
        insert into ${schema.node} (id, host, pid, job_names, slots, version, busy_slots, started_at_unix_ms,
          heartbeat_at_unix_ms)
        select $1, $2, $3, $4::text[], $5, $8, $9, moment.now, moment.now from moment
        on conflict (id) do update
        set heartbeat_at_unix_ms = excluded.heartbeat_at_unix_ms, busy_slots = excluded.busy_slots,
          job_names = excluded.job_names
      ),
      mine as (
        select run.id, sent.started from unnest($6::uuid[], $7::bigint[]) as sent (id, started) cross join lateral (
          select r.id from ${schema.run} r
          where r.id = sent.id and ${isRunning('r')} and r.node_id = $1
          for update skip locked
        ) run
      ),
      beaten as (
        update ${schema.run} r
        set heartbeat_at_unix_ms = moment.now, started_at_unix_ms = mine.started
        from moment, mine where r.id = mine.id
      ),
      alive as (
        select r.id, r.cancel_reason from ${schema.run} r
        where r.id = any($6::uuid[]) and ${isRunning('r')} and r.node_id = $1
      )
      select moment.now, coalesce((select json_agg(alive) from alive)::text, '[]') as alive from moment`;
    // Every run that is still "running, and mine": the condition makes it impossible to revive one that was taken over or
    // has ended, and no list of runs can be out of date, nor lack what was claimed a moment before the loop was blocked.
    // A claim whose commit was not answered is refreshed with the others, and delayed by that: the node looks for it when
    // its loop turns again. A node that has left is not inserted again.
    this.standInText = `
      with moment as materialized (select ${clock.nowSql} as now),
      node as (
        update ${schema.node} n set heartbeat_at_unix_ms = moment.now from moment where n.id = $1
      ),
      mine as (
        select id from ${schema.run}
        where status = 'running' and node_id = $1
        order by id for update skip locked
      )
      update ${schema.run} r
      set heartbeat_at_unix_ms = moment.now
      from moment, mine
      where r.id = mine.id`;
    this.leaveText = `delete from ${schema.node} where id = $1`;
  }

  /** Refreshes the node and those of its runs that are still its own. */
  async beat(
    node: NodeDescription,
    busySlots: number,
    runs: readonly BeatingRun[],
  ): Promise<HeartbeatResult> {
    const rows = await this.connections.query<{ now: number; alive: string }>(
      'heartbeat',
      this.beatText,
      [
        node.id,
        node.host,
        node.pid,
        node.jobNames,
        node.slots,
        runs.map((run) => run.id),
        runs.map((run) => run.startedAtUnixMs),
        node.version,
        busySlots,
      ],
      'crn_heartbeat',
    );
    const row = onlyRow(rows);
    const alive = JSON.parse(row.alive) as readonly AliveRun[];
    return {
      nowUnixMs: row.now,
      aliveIds: new Set(alive.map((run) => run.id)),
      cancelReasons: new Map(
        alive.flatMap(({ id, cancel_reason: reason }) => (reason === null ? [] : [[id, reason] as const])),
      ),
    };
  }

  /**
   * What refreshes the node and every run of its, from a thread that knows no more than the node's id while the main
   * thread, which finds out what was taken over, is blocked.
   */
  standInStatement(nodeId: string): StandInStatement {
    return { text: this.standInText, values: [nodeId] };
  }

  /** Removes the node that shuts down. */
  async leave(nodeId: string): Promise<void> {
    await this.connections.query('heartbeat', this.leaveText, [nodeId]);
  }
}
