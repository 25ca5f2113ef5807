/**
 * What the engine is doing: not at all (`disabled`; also where the process only manages), starting, claiming (`running`),
 * trying again what fails (`degraded`), letting runs finish (`stopping`), or `stopped`.
 */
export type EngineState = 'disabled' | 'starting' | 'running' | 'degraded' | 'stopping' | 'stopped';

/**
 * What fails while the engine is degraded, and is tried again: the store was taken over by another environment, so that
 * this node claims nothing (`environment_mismatch`), the last pass (`claim_failed`), the last heartbeat
 * (`heartbeat_failed`: other nodes take this one's runs over when it lasts for `abandonedAfter`), or the last attempt to
 * journal how runs ended (`outcome_failed`).
 */
export type EngineFault = 'environment_mismatch' | 'claim_failed' | 'heartbeat_failed' | 'outcome_failed';

/** The engine at a glance. */
export interface EngineStatus {
  /** What the engine is doing. */
  readonly state: EngineState;
  /** What fails; empty where nothing does. */
  readonly faults: readonly EngineFault[];
  /** This node's id, as runs name it; absent while there is no node. */
  readonly nodeId?: string;
  /**
   * How long ago the last pass succeeded, in ms by the monotonic clock; before the first, how long ago the engine
   * started. An idle node makes one every `pollInterval`. Absent while there is no node.
   */
  readonly lastPassAgeMs?: number;
  /** How many runs this node executes at once, at most; 0 where the process only manages. */
  readonly slots: number;
  /** Runs that are executing. */
  readonly running: number;
  /** Handlers that go on although their run timed out or was taken over. Each keeps its slot until it settles. */
  readonly detached: number;
}
