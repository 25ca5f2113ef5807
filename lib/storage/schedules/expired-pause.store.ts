import type { Schedule } from '../../schedules/index.js';
import type { Transaction } from '../connections/connections.js';
import { SCHEDULE_COLUMNS, toSchedule, type ScheduleRow } from './schedule.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Schedules looked up at once. */
const BATCH_SIZE = 100;

/**
 * Whoever looks for pauses that have ended waits for nobody: a schedule that somebody has locked stays paused until the
 * lock is gone, keeps its place in the table, and holds up neither claims nor the end of another pause.
 */
const UNLESS_LOCKED = 'for update skip locked';

/** Finds the schedules whose pause was to end by itself, and has not ended yet. */
export class ExpiredPauseStore {
  private readonly namesText: string;
  private readonly lockText: string;

  constructor(schema: StoreSchema) {
    const isExpired = 's.paused_until_unix_ms <= $1 and not s.is_enabled';
    // Locked for a moment here already, so that what is locked elsewhere does not fill the batch.
    this.namesText = `
      select s.name from ${schema.schedule} s where ${isExpired}
      order by s.paused_until_unix_ms limit ${BATCH_SIZE} ${UNLESS_LOCKED}`;
    // The condition is looked at under the lock: of any number of nodes one ends a pause, and the others find none.
    this.lockText = `
      select ${SCHEDULE_COLUMNS} from ${schema.schedule} s where s.name = $2 and ${isExpired} ${UNLESS_LOCKED}`;
  }

  /** Names of such schedules that nobody has locked: some of them where there are many. */
  async names({ executor, nowUnixMs }: Transaction): Promise<string[]> {
    const rows = await executor.query<{ name: string }>(this.namesText, [nowUnixMs]);
    return rows.map(({ name }) => name);
  }

  /** Locks such a schedule. @returns undefined where its pause has not expired, or somebody has it locked. */
  async lock({ executor, nowUnixMs }: Transaction, name: string): Promise<Schedule | undefined> {
    const [row] = await executor.query<ScheduleRow>(this.lockText, [nowUnixMs, name]);
    return row === undefined ? undefined : toSchedule(row);
  }
}
