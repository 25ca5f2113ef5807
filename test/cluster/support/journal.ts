import type { Run, RunStatus, Schedule } from '../../../lib/index.js';
import { RUN_COLUMNS, type RunRow, toRun } from '../../../lib/storage/runs/run.rows.js';
import {
  SCHEDULE_COLUMNS,
  type ScheduleRow,
  toSchedule,
} from '../../../lib/storage/schedules/schedule.rows.js';
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

/** A run that came to have another status. */
export interface TransitionRecord {
  readonly runId: string;
  readonly before: RunStatus;
  readonly after: RunStatus;
}

/** Reads the journal of a test's database, and the records of its handlers. */
export class Journal {
  /** @param records where handlers and events are written down. Default: beside the journal. */
  constructor(
    private readonly database: TestDatabase,
    private readonly records = database,
  ) {}

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
    return this.records.query<DeedRecord>(
      `select id::float, at_unix_ms::float as "atUnixMs", node, node_id as "nodeId", deed, run_id as "runId",
         schedule_id as "scheduleId", schedule_name as "scheduleName",
         scheduled_at_unix_ms::float as "scheduledAtUnixMs", attempt, idempotency_key as "idempotencyKey"
       from cluster_deed where $1::text is null or schedule_name = $1 order by id`,
      [scheduleName ?? null],
    );
  }

  async events(): Promise<EventRecord[]> {
    return this.records.query<EventRecord>(
      'select node, name, run_id as "runId", payload from cluster_event order by id',
    );
  }

  async fireRequests(): Promise<FireRequestRecord[]> {
    return this.database.query<FireRequestRecord>(
      'select origin, repeats_run_id as "repeatsRunId" from crn_fire_request order by id',
    );
  }

  /** Every change of a run's status, in the order in which they were made. */
  async transitions(): Promise<TransitionRecord[]> {
    return this.database.query<TransitionRecord>(
      'select run_id as "runId", before, after from cluster_transition order by id',
    );
  }

  /** When the timing of a schedule was changed last, by its id; none where it never was. */
  async retimings(): Promise<ReadonlyMap<string, number>> {
    const rows = await this.database.query<{ id: string; atUnixMs: number }>(
      `select after ->> 'id' as id, max(at_unix_ms)::float as "atUnixMs" from crn_audit
       where outcome = 'success' and before is not null and after is not null
         and (${timingOf('before')}) is distinct from (${timingOf('after')})
       group by 1`,
    );
    return new Map(rows.map(({ id, atUnixMs }) => [id, atUnixMs]));
  }
}

function timingOf(side: 'before' | 'after'): string {
  return ['kind', 'expr', 'timezone', 'dstGap', 'everyMs', 'fireAtUnixMs', 'startsAtUnixMs', 'endsAtUnixMs']
    .map((field) => `${side} ->> '${field}'`)
    .join(', ');
}
