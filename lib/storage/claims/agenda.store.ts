import { backfillWaits, claimableSchedule, cursorWaits, firstRequestDue } from './claimable.js';
import { optional } from '../statements/column-values.js';
import { onlyRow } from '../statements/only-row.js';
import { CAN_FIRE, HAS_CURSOR } from '../schedules/can-fire.js';
import type { Connections } from '../connections/connections.js';
import type { EnvironmentStore } from '../environment.store.js';
import type { StoreClock } from '../store-clock.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** When the next claim has something to do. */
export interface Agenda {
  readonly nowUnixMs: number;
  /** The nearest instant at which something is due or a hold ends; absent when nothing is in sight. */
  readonly nextDueAtUnixMs?: number;
  /** The nearest instant at which a pause ends by itself. */
  readonly nextResumeAtUnixMs?: number;
}

interface AgendaRow {
  readonly now: number;
  readonly next_due: number | null;
  readonly next_resume: number | null;
  readonly environment: string | null;
}

/** Looks ahead, so that an idle node sleeps until there is something to claim. */
export class AgendaStore {
  private readonly text: string;

  constructor(
    schema: StoreSchema,
    clock: StoreClock,
    private readonly connections: Connections,
    private readonly environment: EnvironmentStore,
  ) {
    const now = '(select now from moment)';
    const parameters = { jobNames: '$1', now, misfiredBefore: `(${now} - $2::bigint)` };
    const claimable = claimableSchedule(schema, parameters);
    // What this node cannot claim (other nodes' jobs, paused or held schedules, fires that wait) must not wake it
    // either, or it would spin.
    this.text = `
      with moment as materialized (select ${clock.nowSql} as now)
      select moment.now, least(
        (
          select s.next_fire_at_unix_ms from ${schema.schedule} s
          where ${HAS_CURSOR} and ${claimable} and not ${cursorWaits(schema, parameters)}
          order by s.next_fire_at_unix_ms limit 1
        ),
        ${firstRequestDue(schema, parameters)},
        (
          select min(b.created_at_unix_ms) from ${schema.backfill} b
          join ${schema.schedule} s on s.id = b.schedule_id
          where b.status = 'running' and ${CAN_FIRE} and ${claimable}
            and not ${backfillWaits(schema)}
        ),
        (select min(h.until_unix_ms) from ${schema.hold} h where h.until_unix_ms > ${now})
      ) as next_due,
      (select min(s.paused_until_unix_ms) from ${schema.schedule} s where not s.is_enabled) as next_resume,
      ${environment.stored} as environment
      from moment`;
  }

  /** Reads what is next for a node with these jobs. @throws StoreEnvironmentError (2708) where the store is another's. */
  async read(jobNames: readonly string[], misfireThresholdMs: number): Promise<Agenda> {
    const rows = await this.connections.query<AgendaRow>(
      'engine',
      this.text,
      [jobNames, misfireThresholdMs],
      'crn_agenda',
    );
    const row = onlyRow(rows);
    this.environment.refuseForeign(row.environment ?? undefined);
    return {
      nowUnixMs: row.now,
      ...optional('nextDueAtUnixMs', row.next_due),
      ...optional('nextResumeAtUnixMs', row.next_resume),
    };
  }
}
