import type { Connections } from '../connections/connections.js';
import { HAS_CURSOR } from '../schedules/can-fire.js';
import { onlyRow } from '../statements/only-row.js';
import type { StoreClock } from '../store-clock.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What is in the store at one moment, whatever node it is for. */
export interface Load {
  /** Fires that are due and not claimed, of each kind up to `MAX_COUNTED`. What is held is not counted. */
  readonly dueCount: number;
  /** How long the oldest of them has been due; 0 where there is none. */
  readonly oldestDueMs: number;
  readonly aliveNodes: number;
}

/** Nobody needs to know how many more there are, and counting them all would take the longer the worse it is. */
const MAX_COUNTED = 10_000;

interface LoadRow {
  readonly due_count: number;
  readonly oldest_due_ms: number;
  readonly alive_nodes: number;
}

/** Reads what monitoring watches. */
export class LoadStore {
  private readonly text: string;

  constructor(
    schema: StoreSchema,
    clock: StoreClock,
    private readonly connections: Connections,
  ) {
    this.text = loadSql(schema, clock.nowSql);
  }

  /** @param abandonedAfterMs how old the last heartbeat of a node may be that is alive. */
  async read(abandonedAfterMs: number): Promise<Load> {
    const row = onlyRow(
      await this.connections.query<LoadRow>('manager', this.text, [abandonedAfterMs], 'crn_load'),
    );
    return {
      dueCount: row.due_count,
      oldestDueMs: row.oldest_due_ms,
      aliveNodes: row.alive_nodes,
    };
  }
}

/** The statement of a read. */
export function loadSql(schema: StoreSchema, nowSql: string): string {
  const now = '(select now from moment)';
  // The oldest first, so that the bound cuts off the youngest.
  return `
    with moment as materialized (select ${nowSql} as now),
    held as materialized (
      select array_agg(h.job_name) as names from ${schema.hold} h
      where h.until_unix_ms is null or h.until_unix_ms > ${now}
    ),
    due as (
      (
        select s.next_fire_at_unix_ms as at from ${schema.schedule} s
        where ${HAS_CURSOR} and s.next_fire_at_unix_ms <= ${now} and ${isNotHeld()}
        order by s.next_fire_at_unix_ms limit ${MAX_COUNTED}
      )
      union all
      (
        select q.due_at_unix_ms from ${schema.fireRequest} q join ${schema.schedule} s on s.id = q.schedule_id
        where q.due_at_unix_ms <= ${now} and (s.is_enabled or q.fires_while_paused) and ${isNotHeld()}
        order by q.due_at_unix_ms limit ${MAX_COUNTED}
      )
    )
    select count(due.at) as due_count, coalesce(moment.now - min(due.at), 0) as oldest_due_ms,
      (select count(*) from ${schema.node} n where n.heartbeat_at_unix_ms >= moment.now - $1::bigint) as alive_nodes
    from moment left join due on true group by moment.now`;
}

/** Of values, not of a join: joined to the holds, everything that is due would be read and sorted to find the oldest. */
function isNotHeld(): string {
  return `(array['', s.job_name] && (select names from held)) is not true`;
}
