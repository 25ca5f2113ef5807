import type { Node } from '../../schedules/index.js';
import { toNumber } from '../statements/column-values.js';
import { allOf, Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { pageOf, WINDOW_SIZE, type Page, type PageSlice, type Tally } from '../statements/page.js';
import type { StoreSchema } from '../schema/store-schema.js';

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

/** Which nodes to find; what is absent does not restrict. */
export interface NodeSearch {
  readonly isAlive?: boolean;
  /** A job that the node registers. */
  readonly jobName?: string;
  readonly host?: string;
}

const SORT_COLUMNS = {
  startedAtUnixMs: 'n.started_at_unix_ms',
  heartbeatAtUnixMs: 'n.heartbeat_at_unix_ms',
  host: 'n.host',
} as const;

/** A column by which nodes can be sorted. */
export type NodeSortField = keyof typeof SORT_COLUMNS;

/** Every column by which nodes can be sorted, the default first. */
export const NODE_SORT_FIELDS = Object.keys(SORT_COLUMNS) as NodeSortField[];

const NEWEST_START_FIRST = { field: 'startedAtUnixMs', isDescending: true } as const;

const COLUMNS = `n.id, n.host, n.pid, n.version, array_to_json(n.job_names)::text as job_names_json, n.slots, n.busy_slots,
  n.started_at_unix_ms, n.heartbeat_at_unix_ms`;

/** Reads which nodes there are. A node is alive while its last heartbeat is not older than `aliveSinceUnixMs`. */
export class NodeStore {
  private readonly listText: string;
  private readonly liveJobNamesText: string;

  constructor(private readonly schema: StoreSchema) {
    this.listText = `
      select ${COLUMNS}, n.heartbeat_at_unix_ms >= $1::bigint as is_alive
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

  /** Finds a page of nodes, the newest start first unless sorted otherwise. */
  async find(
    executor: Executor,
    search: NodeSearch,
    aliveSinceUnixMs: number,
    { offset, limit, sort = NEWEST_START_FIRST }: PageSlice<NodeSortField>,
  ): Promise<Page<Node>> {
    const conditions = new Conditions();
    const nodes = `(select n.*, n.heartbeat_at_unix_ms >= ${conditions.parameter(aliveSinceUnixMs)}::bigint as is_alive
      from ${this.schema.node} n) n`;
    const where = allOf([
      ...conditions.where(search.isAlive, (value) => `n.is_alive = ${value}`),
      ...conditions.where(search.jobName, (value) => `${value}::text = any(n.job_names)`),
      ...conditions.where(search.host, (value) => `n.host = ${value}`),
    ]);
    const [tally] = await executor.query<Tally>(
      `select count(*) as matched, count(*) as searched from (
         select 1 from ${nodes} where ${where} limit ${WINDOW_SIZE}) found`,
      conditions.values,
    );
    const direction = sort.isDescending ? 'desc' : 'asc';
    const page = `offset ${conditions.parameter(offset)} limit ${conditions.parameter(limit)}`;
    const rows = await executor.query<NodeRow>(
      `select ${COLUMNS}, n.is_alive from ${nodes} where ${where}
       order by ${SORT_COLUMNS[sort.field]} ${direction}, n.id ${page}`,
      conditions.values,
    );
    return pageOf(rows.map(toNode), tally);
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
