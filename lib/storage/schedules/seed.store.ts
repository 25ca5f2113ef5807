import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Identifies a default schedule across deployments, whatever became of the schedule that it was seeded as. */
export interface SeedKey {
  readonly jobName: string;
  /** The name that the code gives, not the one that an operator may have given since. */
  readonly name: string;
}

/** Which definition was synced last. */
export interface SeedVersion {
  readonly definitionHash: string;
  readonly revision: number;
}

/** A default schedule that was seeded. */
export interface Seed extends SeedVersion {
  readonly scheduleId: string;
}

/** Remembers which default schedules were seeded, and from what. */
export class SeedStore {
  private readonly takeText: string;
  private readonly findText: string;
  private readonly advanceText: string;

  constructor(schema: StoreSchema) {
    this.takeText = `
      insert into ${schema.seed} (job_name, name, schedule_id, definition_hash, revision, seeded_at_unix_ms)
      values ($1, $2, $3, $4, $5, $6)
      on conflict do nothing returning 1 as taken`;
    this.findText = `
      select schedule_id, definition_hash, revision from ${schema.seed}
      where job_name = $1 and name = $2 for update`;
    this.advanceText = `
      update ${schema.seed} set definition_hash = $3, revision = $4 where job_name = $1 and name = $2`;
  }

  /**
   * Takes the right to seed; false when it was taken. The primary key lets one node in, and makes the others wait for
   * the end of its transaction: they see the schedule, or take over when it rolled back.
   */
  async take(executor: Executor, key: SeedKey, seed: Seed, nowUnixMs: number): Promise<boolean> {
    const rows = await executor.query(this.takeText, [
      key.jobName,
      key.name,
      seed.scheduleId,
      seed.definitionHash,
      seed.revision,
      nowUnixMs,
    ]);
    return rows.length > 0;
  }

  /** Finds and locks: nobody else syncs the schedule until the transaction ends. */
  async findForUpdate(executor: Executor, key: SeedKey): Promise<Seed | undefined> {
    const [row] = await executor.query<{
      schedule_id: string;
      definition_hash: string;
      revision: number;
    }>(this.findText, [key.jobName, key.name]);
    return row === undefined
      ? undefined
      : { scheduleId: row.schedule_id, definitionHash: row.definition_hash, revision: row.revision };
  }

  /** Notes what was synced. */
  async advance(executor: Executor, key: SeedKey, version: SeedVersion): Promise<void> {
    await executor.query(this.advanceText, [key.jobName, key.name, version.definitionHash, version.revision]);
  }
}
