import type { Hold } from '../../schedules/index.js';
import { optional, toNumber, toOptionalNumber } from '../statements/column-values.js';
import type { Transaction } from '../connections/connections.js';
import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

interface HoldRow {
  readonly job_name: string;
  readonly note: string | null;
  readonly until_unix_ms: number | string | null;
  readonly held_at_unix_ms: number | string;
  readonly held_by: string;
}

/** What a hold covers: a job, or without one the whole store, which has the empty name. */
export interface HoldTarget {
  /** The job, whether or not a schedule has it at the moment. Omitted: the whole store. */
  readonly jobName?: string | undefined;
}

/** Keeps the holds. One that has expired counts as none. */
export class HoldStore {
  private readonly putText: string;
  private readonly removeText: string;
  private readonly listText: string;

  constructor(schema: StoreSchema) {
    this.putText = `
      insert into ${schema.hold} as h (job_name, note, until_unix_ms, held_at_unix_ms, held_by)
      values ($1, $2, $3, $4, $5)
      on conflict (job_name) do update set note = excluded.note, until_unix_ms = excluded.until_unix_ms,
        held_at_unix_ms = excluded.held_at_unix_ms, held_by = excluded.held_by`;
    this.removeText = `
      delete from ${schema.hold} where job_name = $1
      returning until_unix_ms is null or until_unix_ms > $2::bigint as was_held`;
    this.listText = `
      select job_name, note, until_unix_ms, held_at_unix_ms, held_by from ${schema.hold}
      where until_unix_ms is null or until_unix_ms > $1::bigint order by job_name`;
  }

  async put(executor: Executor, hold: Hold): Promise<void> {
    await executor.query(this.putText, [
      hold.jobName ?? '',
      hold.note ?? null,
      hold.untilUnixMs ?? null,
      hold.heldAtUnixMs,
      hold.heldBy,
    ]);
  }

  /** @returns whether it was held. */
  async remove({ executor, nowUnixMs }: Transaction, { jobName = '' }: HoldTarget): Promise<boolean> {
    const [row] = await executor.query<{ was_held: boolean }>(this.removeText, [jobName, nowUnixMs]);
    return row?.was_held ?? false;
  }

  async list({ executor, nowUnixMs }: Transaction): Promise<Hold[]> {
    const rows = await executor.query<HoldRow>(this.listText, [nowUnixMs]);
    return rows.map(toHold);
  }
}

function toHold(row: HoldRow): Hold {
  return {
    ...optional('jobName', row.job_name === '' ? null : row.job_name),
    ...optional('note', row.note),
    ...optional('untilUnixMs', toOptionalNumber(row.until_unix_ms)),
    heldAtUnixMs: toNumber(row.held_at_unix_ms),
    heldBy: row.held_by,
  };
}
