import type { Schedule } from '../../schedules/index.js';
import { toNumber } from '../statements/column-values.js';
import type { Executor } from '../connections/executor.js';
import { SCHEDULE_COLUMNS, toSchedule, type ScheduleRow } from './schedule.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Schedules looked at in one transaction. */
const BATCH_SIZE = 500;

/** A schedule whose cursor lies ahead. */
export interface ZonedSchedule {
  readonly schedule: Schedule;
  readonly cursorUnixMs: number;
  /** Every occurrence up to here was fired or journaled. */
  readonly accountedUntilUnixMs: number;
}

interface ZonedScheduleRow extends ScheduleRow {
  readonly accounted_until_unix_ms: number | string;
}

/** Remembers under which time-zone rules the cursors were computed, and moves them when the rules change. */
export class ZoneRulesStore {
  private readonly readText: string;
  private readonly writeText: string;
  private readonly batchText: string;
  private readonly moveText: string;

  constructor(schema: StoreSchema) {
    this.readText = `select time_zone_rules as version from ${schema.store}`;
    this.writeText = `
      insert into ${schema.store} as s (id, time_zone_rules) values (true, $1)
      on conflict (id) do update set time_zone_rules = $1
      where s.time_zone_rules is not distinct from $2`;
    // Only what lies ahead: an occurrence that is due belongs to the claim.
    this.batchText = `
      select ${SCHEDULE_COLUMNS}, s.accounted_until_unix_ms from ${schema.schedule} s
      where s.kind = 'cron' and s.timezone <> 'UTC' and s.next_fire_at_unix_ms > $1 and ($2::uuid is null or s.id > $2)
      order by s.id limit ${BATCH_SIZE}
      for update`;
    this.moveText = `
      update ${schema.schedule} s set next_fire_at_unix_ms = moved.next
      from unnest($1::uuid[], $2::bigint[]) as moved (id, next) where s.id = moved.id`;
  }

  /** The version of the rules that the cursors follow; undefined in a store that has none yet. */
  async read(executor: Executor): Promise<string | undefined> {
    const [row] = await executor.query<{ version: string | null }>(this.readText);
    return row?.version ?? undefined;
  }

  /** Sets the version, unless somebody else has set it since it was read. */
  async write(executor: Executor, version: string, replaced: string | undefined): Promise<void> {
    await executor.query(this.writeText, [version, replaced ?? null]);
  }

  /** Locks and reads the next schedules in zones with rules, after the id where the last batch ended. */
  async lockBatch(
    executor: Executor,
    nowUnixMs: number,
    afterId: string | undefined,
  ): Promise<ZonedSchedule[]> {
    const rows = await executor.query<ZonedScheduleRow>(this.batchText, [nowUnixMs, afterId ?? null]);
    return rows.map((row) => ({
      schedule: toSchedule(row),
      cursorUnixMs: Number(row.next_fire_at_unix_ms),
      accountedUntilUnixMs: toNumber(row.accounted_until_unix_ms),
    }));
  }

  /** Moves cursors of schedules that the caller holds locked; one without a further occurrence is spent. */
  async move(
    executor: Executor,
    moves: readonly { readonly scheduleId: string; readonly nextFireAtUnixMs: number | undefined }[],
  ): Promise<void> {
    await executor.query(this.moveText, [
      moves.map((move) => move.scheduleId),
      moves.map((move) => move.nextFireAtUnixMs ?? null),
    ]);
  }
}
