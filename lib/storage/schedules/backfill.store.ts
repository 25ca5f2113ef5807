import type { Backfill, BackfillStatus } from '../../schedules/index.js';
import { optional, toNumber, toOptionalNumber } from '../statements/column-values.js';
import type { Transaction } from '../connections/connections.js';
import type { Executor } from '../connections/executor.js';
import { mintId } from '../statements/identifiers.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** A past range to fire again. */
export interface BackfillRange {
  readonly scheduleId: string;
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  /** The first occurrence of the range. */
  readonly firstUnixMs: number;
  readonly total: number;
  readonly actor: string;
}

interface BackfillRow {
  readonly id: string;
  readonly schedule_id: string;
  readonly from_unix_ms: number | string;
  readonly to_unix_ms: number | string;
  readonly next_unix_ms: number | string | null;
  readonly total: number | string;
  readonly fired: number | string;
  readonly status: BackfillStatus;
  readonly created_at_unix_ms: number | string;
  readonly created_by: string;
  readonly ended_at_unix_ms: number | string | null;
}

const COLUMNS = `b.id, b.schedule_id, b.from_unix_ms, b.to_unix_ms, b.next_unix_ms, b.total, b.fired, b.status,
  b.created_at_unix_ms, b.created_by, b.ended_at_unix_ms`;

/** Keeps the past ranges that operators asked to fire again. */
export class BackfillStore {
  private readonly insertText: string;
  private readonly listText: string;
  private readonly cancelText: string;

  constructor(schema: StoreSchema) {
    this.insertText = `
      insert into ${schema.backfill} as b (id, schedule_id, from_unix_ms, to_unix_ms, next_unix_ms, total, fired, status,
        created_at_unix_ms, created_by)
      values ($1, $2, $3, $4, $5, $6, 0, 'running', $7, $8)
      returning ${COLUMNS}`;
    this.listText = `
      select ${COLUMNS} from ${schema.backfill} b where b.schedule_id = $1 order by b.id desc limit $2`;
    this.cancelText = `
      update ${schema.backfill} b set status = 'canceled', next_unix_ms = null, ended_at_unix_ms = $3
      where b.id = $1 and b.schedule_id = $2 and b.status = 'running'
      returning ${COLUMNS}`;
  }

  async insert({ executor, nowUnixMs }: Transaction, range: BackfillRange): Promise<Backfill> {
    const [row] = await executor.query<BackfillRow>(this.insertText, [
      mintId(nowUnixMs),
      range.scheduleId,
      range.fromUnixMs,
      range.toUnixMs,
      range.firstUnixMs,
      range.total,
      nowUnixMs,
      range.actor,
    ]);
    if (row === undefined) {
      throw new Error('The backfill was not stored.');
    }
    return toBackfill(row);
  }

  /** Lists the newest first. */
  async list(executor: Executor, scheduleId: string, limit: number): Promise<Backfill[]> {
    const rows = await executor.query<BackfillRow>(this.listText, [scheduleId, limit]);
    return rows.map(toBackfill);
  }

  /** @returns undefined when the schedule has no such backfill running. */
  async cancel(
    { executor, nowUnixMs }: Transaction,
    scheduleId: string,
    id: string,
  ): Promise<Backfill | undefined> {
    const [row] = await executor.query<BackfillRow>(this.cancelText, [id, scheduleId, nowUnixMs]);
    return row === undefined ? undefined : toBackfill(row);
  }
}

function toBackfill(row: BackfillRow): Backfill {
  return {
    id: row.id,
    scheduleId: row.schedule_id,
    fromUnixMs: toNumber(row.from_unix_ms),
    toUnixMs: toNumber(row.to_unix_ms),
    ...optional('nextUnixMs', toOptionalNumber(row.next_unix_ms)),
    totalCount: toNumber(row.total),
    firedCount: toNumber(row.fired),
    status: row.status,
    createdAtUnixMs: toNumber(row.created_at_unix_ms),
    createdBy: row.created_by,
    ...optional('endedAtUnixMs', toOptionalNumber(row.ended_at_unix_ms)),
  };
}
