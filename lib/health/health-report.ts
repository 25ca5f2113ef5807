import type { EngineFault, EngineState } from '../engine/index.js';

/**
 * `up`: works. `degraded`: works, and somebody should look. `down`: does not do its work, at least at the moment.
 */
export type HealthStatus = 'up' | 'degraded' | 'down';

/**
 * Why a node is `down`: it is `starting`, `stopping` or `stopped`; the database did not answer in time or could not be
 * reached (`database_unreachable`), or answered with an error (`database_refused`); no pass succeeded for too long
 * (`pass_overdue`); handlers that go on although their run is over hold every slot (`slots_lost`).
 */
export type DownReason =
  | 'starting'
  | 'stopping'
  | 'stopped'
  | 'database_unreachable'
  | 'database_refused'
  | 'pass_overdue'
  | 'slots_lost';

/**
 * Why a node is `degraded`: something fails and is tried again, see `EngineFault`; what is due waits for too long
 * (`lag_exceeded`); too many handlers go on although their run is over (`detached_exceeded`).
 */
export type DegradedReason = EngineFault | 'lag_exceeded' | 'detached_exceeded';

/** How a node is. Nothing in it is confidential: words, numbers, and the node's id. */
export interface HealthReport {
  /** How the node is. */
  readonly status: HealthStatus;
  /** Why the status is not `up`; empty where it is. */
  readonly reasons: readonly (DownReason | DegradedReason)[];
  /** What the engine is doing; `disabled` where the store is, or where the process only manages. */
  readonly state: EngineState;
  /** This node's id, as runs name it; absent while there is no node. */
  readonly nodeId?: string;
  /**
   * How long ago the last pass succeeded, in ms by the monotonic clock; before the first, how long ago the engine started.
   * Absent while there is no node.
   */
  readonly lastPassAgeMs?: number;
  /**
   * How late the oldest fire is that this node could execute, in ms by the store's time. Without what waits for another
   * run to end, and without backlogs, which are worked off behind everything else. Absent where the node is none, and
   * where the database did not tell.
   */
  readonly lagMs?: number;
  /** How many runs this node executes at once, at most; 0 where the process only manages. */
  readonly slots: number;
  /** Runs that are executing. */
  readonly running: number;
  /** Handlers that go on although their run is over. Each keeps its slot until it settles. */
  readonly detached: number;
  /** The version of the tables that this node works with, a timestamp: that of its newest migration. */
  readonly schemaVersion: string;
}
