import { claimableSchedule, cursorWaits, firstRequestDue, isInBacklog } from '../claims/claimable.js';
import type { Connections } from '../connections/connections.js';
import type { EnvironmentStore } from '../environment.store.js';
import { HAS_CURSOR } from '../schedules/can-fire.js';
import { onlyRow } from '../statements/only-row.js';
import type { StoreClock } from '../store-clock.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What the database tells of how a process is. */
export interface StoreHealth {
  /**
   * How late the oldest fire is that a node with these jobs could claim, in ms by the store's time; 0 where nothing is
   * due.
   */
  readonly lagMs: number;
  /** Whether the store belongs to this application's environment, or to none. */
  readonly isOurs: boolean;
}

/** Reads what tells whether a node keeps up. */
export class HealthStore {
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
    // What waits for a run to end is not late, and a backlog is worked off behind everything else, however long it takes.
    this.text = `
      with moment as materialized (select ${clock.nowSql} as now)
      select (moment.now - least(
        (
          select s.next_fire_at_unix_ms from ${schema.schedule} s
          where ${HAS_CURSOR} and ${claimable} and not ${isInBacklog(parameters)}
            and not ${cursorWaits(schema, parameters)}
          order by s.next_fire_at_unix_ms limit 1
        ),
        ${firstRequestDue(schema, parameters)},
        moment.now
      )) as lag, ${environment.stored} as environment from moment`;
  }

  /** Reads how it is for a node with these jobs. */
  async read(jobNames: readonly string[], misfireThresholdMs: number): Promise<StoreHealth> {
    const rows = await this.connections.query<{ lag: number; environment: string | null }>(
      'manager',
      this.text,
      [jobNames, misfireThresholdMs],
      'crn_health',
    );
    const { lag, environment } = onlyRow(rows);
    return { lagMs: lag, isOurs: this.environment.isOurs(environment ?? undefined) };
  }
}
