import type { Schedule } from '../../schedules/index.js';
import type { Executor } from '../connections/executor.js';
import { HAS_CURSOR } from './can-fire.js';
import { SCHEDULE_COLUMNS, toSchedule, type ScheduleRow } from './schedule.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Where to look for fires: in which time, and not of which jobs. */
export interface UpcomingSearch {
  /** Exclusive. */
  readonly afterUnixMs: number;
  /** Inclusive. */
  readonly untilUnixMs: number;
  /** Jobs whose schedules are left out. */
  readonly exceptJobNames: readonly string[];
}

/** Looks ahead over all schedules. */
export class UpcomingStore {
  private readonly text: string;

  constructor(schema: StoreSchema) {
    // In the order of `crn_schedule_due_idx`, which has exactly the schedules that can fire.
    this.text = `
      select ${SCHEDULE_COLUMNS} from ${schema.schedule} s
      where ${HAS_CURSOR} and s.next_fire_at_unix_ms > $1::bigint
        and s.next_fire_at_unix_ms <= $2::bigint
        and s.job_name <> all ($3::text[])
      order by s.next_fire_at_unix_ms limit $4`;
  }

  /** Finds the schedules that fire next within a time, the next one first. */
  async find(
    executor: Executor,
    { afterUnixMs, untilUnixMs, exceptJobNames }: UpcomingSearch,
    limit: number,
  ): Promise<Schedule[]> {
    const rows = await executor.query<ScheduleRow>(this.text, [
      afterUnixMs,
      untilUnixMs,
      exceptJobNames,
      limit,
    ]);
    return rows.map(toSchedule);
  }
}
