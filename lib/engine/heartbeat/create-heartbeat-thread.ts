import type { ResolvedOptions } from '../../options/index.js';
import type { Storage } from '../../storage/index.js';
import { HeartbeatThread } from './heartbeat-thread.js';

/** The thread that heartbeats in place of a blocked event loop; undefined where the options want none. */
export function createHeartbeatThread(
  storage: Storage,
  { stuckAfter, abandonedAfter, heartbeatInterval }: ResolvedOptions,
  nodeId: string,
): HeartbeatThread | undefined {
  if (stuckAfter <= abandonedAfter) {
    return undefined;
  }
  return new HeartbeatThread({
    connectionOptions: () => storage.threadOptions(),
    statement: storage.heartbeats.standInStatement(nodeId),
    intervalMs: heartbeatInterval,
    abandonedAfterMs: abandonedAfter,
    stuckAfterMs: stuckAfter,
  });
}
