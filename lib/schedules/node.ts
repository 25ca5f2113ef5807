/** A process that runs the engine, as it announces itself with each heartbeat. */
export interface Node {
  /** Its id, as runs name it. */
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  /** The id of its process there. */
  readonly pid: number;
  /** The version of this package that it runs. */
  readonly version: string;
  /** The jobs it can execute. */
  readonly jobNames: readonly string[];
  /** How many runs it executes at once, at most. */
  readonly slots: number;
  /** How many of its slots were taken at its last heartbeat. */
  readonly busySlots: number;
  /** When its engine started, in Unix ms. */
  readonly startedAtUnixMs: number;
  /** Its last sign of life, in Unix ms. */
  readonly heartbeatAtUnixMs: number;
  /** Whether its last heartbeat is younger than `abandonedAfter`. */
  readonly isAlive: boolean;
}
