import { Client } from 'pg';
import type { RunOrigin, RunStatus, Trigger } from 'nestjs-cron-store';
import { connectionFault } from '../database/connection-fault.js';

/** What the check needs to know of a schedule. */
export interface JournaledSchedule {
  readonly id: string;
  readonly name: string;
  readonly trigger: Trigger;
  readonly anchor: number;
  readonly startsAt: number | null;
  readonly endsAt: number | null;
  /** The next occurrence to be claimed; null when there is none. */
  readonly nextFireAt: number | null;
}

/** What the check needs to know of a run. */
export interface JournaledRun {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly origin: RunOrigin;
  readonly status: RunStatus;
  readonly scheduledAt: number;
  readonly missedCount: number;
  readonly idempotencyKey: string;
}

export interface Journal {
  readonly schedules: readonly JournaledSchedule[];
  /** In the order of their logical times. */
  readonly runs: readonly JournaledRun[];
}

/**
 * Reads the journal as of one instant, also while nodes are writing it. From the tables themselves, and not through
 * the store: a check that asks what it checks proves little.
 *
 * @returns undefined where the store has never been started.
 */
export async function readJournal(databaseUrl: string): Promise<Journal | undefined> {
  const client = new Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  try {
    await client.connect();
  } catch (error) {
    throw connectionFault(databaseUrl, error);
  }
  try {
    await client.query('begin transaction isolation level repeatable read read only');
    const { rows } = await client.query<{ exists: boolean }>(
      `select to_regclass('cron.crn_run') is not null as exists`,
    );
    return rows[0]?.exists === true
      ? { schedules: await readSchedules(client), runs: await readRuns(client) }
      : undefined;
  } finally {
    await client.end();
  }
}

// As float8, because the driver reads a bigint as a string; instants in milliseconds are exact in it.
async function readSchedules(client: Client): Promise<JournaledSchedule[]> {
  const { rows } = await client.query<JournaledSchedule>(`
    select id, name,
      json_strip_nulls(json_build_object('kind', kind, 'expr', expr, 'timezone', timezone, 'dstGap', dst_gap,
        'everyMs', every_ms, 'atUnixMs', fire_at_unix_ms)) as trigger,
      anchor_at_unix_ms::float8 as anchor, starts_at_unix_ms::float8 as "startsAt",
      ends_at_unix_ms::float8 as "endsAt", next_fire_at_unix_ms::float8 as "nextFireAt"
    from cron.crn_schedule order by name`);
  return rows;
}

async function readRuns(client: Client): Promise<JournaledRun[]> {
  const { rows } = await client.query<JournaledRun>(`
    select schedule_id as "scheduleId", schedule_name as "scheduleName", origin, status,
      scheduled_at_unix_ms::float8 as "scheduledAt", missed_count::float8 as "missedCount",
      idempotency_key as "idempotencyKey"
    from cron.crn_run order by scheduled_at_unix_ms, id`);
  return rows;
}
