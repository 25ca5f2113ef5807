import type { Node } from '../schedules/index.js';
import { toNumber } from './column-values.js';
import type { Executor } from './executor.js';
import type { StoreSchema } from './store-schema.js';

interface NodeRow {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly job_names_json: string;
  readonly slots: number;
  readonly busy_slots: number;
  readonly started_at_unix_ms: number | string;
  readonly heartbeat_at_unix_ms: number | string;
  readonly is_alive: boolean;
}

/** Reads which nodes there are. A node is alive while its last heartbeat is not older than `aliveSinceUnixMs`. */
export class NodeStore {
  private readonly listText: string;
  private readonly liveJobNamesText: string;

  constructor(schema: StoreSchema) {
    this.listText = `
      select n.id, n.host, n.pid, n.version, array_to_json(n.job_names)::text as job_names_json, n.slots, n.busy_slots, n.started_at_unix_ms,
        n.heartbeat_at_unix_ms, n.heartbeat_at_unix_ms >= $1::bigint as is_alive
      from ${schema.node} n order by n.started_at_unix_ms desc, n.id`;
    this.liveJobNamesText = `
      select distinct unnest(n.job_names) as job_name from ${schema.node} n
      where n.heartbeat_at_unix_ms >= $1::bigint`;
  }

  /** Lists the nodes that did not say good-bye, the newest start first. */
  async list(executor: Executor, aliveSinceUnixMs: number): Promise<Node[]> {
    const rows = await executor.query<NodeRow>(this.listText, [aliveSinceUnixMs]);
    return rows.map(toNode);
  }

  /** The jobs that some live node can execute. */
  async liveJobNames(executor: Executor, aliveSinceUnixMs: number): Promise<ReadonlySet<string>> {
    const rows = await executor.query<{ job_name: string }>(this.liveJobNamesText, [aliveSinceUnixMs]);
    return new Set(rows.map((row) => row.job_name));
  }
}

function toNode(row: NodeRow): Node {
  return {
    id: row.id,
    host: row.host,
    pid: row.pid,
    version: row.version,
    jobNames: JSON.parse(row.job_names_json) as string[],
    slots: row.slots,
    busySlots: row.busy_slots,
    startedAtUnixMs: toNumber(row.started_at_unix_ms),
    heartbeatAtUnixMs: toNumber(row.heartbeat_at_unix_ms),
    isAlive: row.is_alive,
  };
}
