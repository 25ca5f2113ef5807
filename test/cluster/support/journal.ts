import type { Run, Schedule } from '../../../lib/index.js';
import { RUN_COLUMNS, type RunRow, toRun } from '../../../lib/storage/run.rows.js';
import { SCHEDULE_COLUMNS, type ScheduleRow, toSchedule } from '../../../lib/storage/schedule.rows.js';
import type { TestDatabase } from '../../support/database.js';
import type { Deed } from '../node/recorder.js';

/** A run, with what only the store keeps of it. */
export interface JournaledRun extends Run {
  readonly recoveries: number;
}

/** What a handler did, by its own record. */
export interface DeedRecord {
  readonly id: number;
  readonly atUnixMs: number;
  /** The node's name in the test. */
  readonly node: string;
  readonly nodeId: string;
  readonly deed: Deed;
  readonly runId: string;
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly scheduledAtUnixMs: number;
  readonly attempt: number;
  readonly idempotencyKey: string;
}

/** An event that a node emitted. */
export interface EventRecord {
  readonly node: string;
  readonly name: string;
  readonly runId: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A wish for an extra fire that nobody has claimed. */
export interface FireRequestRecord {
  readonly origin: string;
  readonly repeatsRunId: string | undefined;
}

/** Reads the journal and the records of a test's database. */
export class Journal {
  constructor(private readonly database: TestDatabase) {}

  /** Every run, or those of one schedule, in the order in which they were claimed. */
  async runs(scheduleName?: string): Promise<JournaledRun[]> {
    const rows = await this.database.query<RunRow & { recoveries: number }>(
      `select ${RUN_COLUMNS}, r.recoveries from crn_run r
       where $1::text is null or r.schedule_name = $1 order by r.id`,
      [scheduleName ?? null],
    );
    return rows.map((row) => Object.assign(toRun(row), { recoveries: row.recoveries }));
  }

  /** Every schedule, by name. */
  async schedules(): Promise<Schedule[]> {
    const rows = await this.database.query<ScheduleRow>(
      `select ${SCHEDULE_COLUMNS} from crn_schedule s order by s.name`,
    );
    return rows.map(toSchedule);
  }

  /** What handlers did, or those of one schedule, in the order in which they wrote it down. */
  async deeds(scheduleName?: string): Promise<DeedRecord[]> {
    return this.database.query<DeedRecord>(
      `select id::float, at_unix_ms::float as "atUnixMs", node, node_id as "nodeId", deed, run_id as "runId",
         schedule_id as "scheduleId", schedule_name as "scheduleName",
         scheduled_at_unix_ms::float as "scheduledAtUnixMs", attempt, idempotency_key as "idempotencyKey"
       from cluster_deed where $1::text is null or schedule_name = $1 order by id`,
      [scheduleName ?? null],
    );
  }

  async events(): Promise<EventRecord[]> {
    return this.database.query<EventRecord>(
      'select node, name, run_id as "runId", payload from cluster_event order by id',
    );
  }

  async fireRequests(): Promise<FireRequestRecord[]> {
    return this.database.query<FireRequestRecord>(
      'select origin, repeats_run_id as "repeatsRunId" from crn_fire_request order by id',
    );
  }
}
