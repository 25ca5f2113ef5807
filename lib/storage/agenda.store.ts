import { claimableRequest, claimableSchedule, HAS_CURSOR } from './claimable.js';
import type { Connections } from './connections.js';
import type { StoreClock } from './store-clock.js';
import type { StoreSchema } from './store-schema.js';

/** When the next claim has something to do. */
export interface Agenda {
  readonly nowUnixMs: number;
  /** The nearest instant at which something is due; absent when nothing is in sight. */
  readonly nextDueAtUnixMs?: number;
}

/** Looks ahead, so that an idle node sleeps until there is something to claim. */
export class AgendaStore {
  private readonly text: string;

  constructor(
    schema: StoreSchema,
    clock: StoreClock,
    private readonly connections: Connections,
  ) {
    // What this node cannot claim (other nodes' jobs, paused schedules, requests that wait) must not wake it either,
    // or it would spin.
    this.text = `
      select (select ${clock.nowSql}) as now,
        (
          select s.next_fire_at_unix_ms from ${schema.schedule} s
          where ${HAS_CURSOR} and ${claimableSchedule('$1')}
          order by s.next_fire_at_unix_ms limit 1
        ) as next_fire,
        (
          select min(q.scheduled_at_unix_ms) from ${schema.fireRequest} q
          join ${schema.schedule} s on s.id = q.schedule_id
          where ${claimableSchedule('$1')} and ${claimableRequest(schema)}
        ) as next_request`;
  }

  /** Reads what is next for a node with these jobs. */
  async read(jobNames: readonly string[]): Promise<Agenda> {
    const [row] = await this.connections.query<{
      now: number;
      next_fire: number | null;
      next_request: number | null;
    }>('engine', this.text, [jobNames], 'crn_agenda');
    if (row === undefined) {
      throw new Error('The database did not tell its time.');
    }
    const next = [row.next_fire, row.next_request].filter((at) => at !== null);
    return { nowUnixMs: row.now, ...(next.length === 0 ? {} : { nextDueAtUnixMs: Math.min(...next) }) };
  }
}
