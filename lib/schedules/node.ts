/** A process that runs the engine, as it announces itself with each heartbeat. */
export interface Node {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  /** The version of this package that it runs. */
  readonly version: string;
  /** The jobs it can execute. */
  readonly jobNames: readonly string[];
  /** How many runs it executes at once, at most, and how many it does. */
  readonly slots: number;
  readonly busySlots: number;
  readonly startedAtUnixMs: number;
  readonly heartbeatAtUnixMs: number;
  /** Whether its last heartbeat is younger than `abandonedAfter`. */
  readonly isAlive: boolean;
}
