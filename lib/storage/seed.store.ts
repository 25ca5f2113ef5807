import type { Executor } from './executor.js';
import type { StoreSchema } from './store-schema.js';

/** Identifies a default schedule across deployments, whatever became of the schedule that it was seeded as. */
export interface SeedKey {
  readonly jobName: string;
  /** The name that the code gives, not the one that an operator may have given since. */
  readonly name: string;
}

/** Remembers which default schedules were seeded. */
export class SeedStore {
  private readonly takeText: string;

  constructor(schema: StoreSchema) {
    this.takeText = `
      insert into ${schema.seed} (job_name, name, schedule_id, seeded_at_unix_ms) values ($1, $2, $3, $4)
      on conflict do nothing returning 1 as taken`;
  }

  /**
   * Takes the right to seed; false when it was taken. The primary key lets one node in, and makes the others wait for
   * the end of its transaction: they see the schedule, or take over when it rolled back.
   */
  async take(executor: Executor, key: SeedKey, scheduleId: string, nowUnixMs: number): Promise<boolean> {
    const rows = await executor.query(this.takeText, [key.jobName, key.name, scheduleId, nowUnixMs]);
    return rows.length > 0;
  }
}
