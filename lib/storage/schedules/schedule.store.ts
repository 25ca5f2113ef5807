import { ScheduleExistsError, type Schedule, type ScheduleDefinition } from '../../schedules/index.js';
import { codeOf } from '../../error-reading.js';
import { UNIQUE_VIOLATION } from '../connections/error-code.js';
import type { Executor } from '../connections/executor.js';
import {
  DEFINITION_COLUMNS,
  definitionValues,
  SCHEDULE_COLUMNS,
  toSchedule,
  type ScheduleRow,
} from './schedule.rows.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** A pause, as an operator made it. */
export interface Pause {
  readonly atUnixMs: number;
  readonly by: string;
  readonly note: string | undefined;
  /** When it ends by itself. */
  readonly untilUnixMs: number | undefined;
}

/** What moves when a schedule is written: where it stands, and who wrote it. */
export interface SchedulePosition {
  readonly anchorAtUnixMs: number;
  readonly nextFireAtUnixMs: number | undefined;
  /** Occurrences up to here will not fire, whatever the cursor says; absent where the cursor stays. */
  readonly accountedUntilUnixMs: number | undefined;
  readonly pause: Pause | undefined;
  readonly nowUnixMs: number;
  readonly actor: string;
}

/** The operator's switch, and what goes with it. */
export interface Enablement extends Omit<SchedulePosition, 'anchorAtUnixMs'> {
  readonly isEnabled: boolean;
  readonly parkedReason: string | undefined;
}

/** Schedules whose job is, or is not, among these. */
export interface JobSelection {
  readonly names: readonly string[];
  readonly isAmong: boolean;
}

/** Which schedules to list; what is absent does not restrict. */
export interface ScheduleSelection {
  readonly jobName?: string;
  readonly isEnabled?: boolean;
  readonly jobs?: JobSelection;
}

const POSITION_COLUMNS = [
  'anchor_at_unix_ms',
  'next_fire_at_unix_ms',
  'accounted_until_unix_ms',
  'paused_at_unix_ms',
  'paused_by',
  'pause_note',
  'paused_until_unix_ms',
  'updated_at_unix_ms',
  'updated_by',
] as const;

const WRITTEN_COLUMNS = [...DEFINITION_COLUMNS, ...POSITION_COLUMNS];

/** A job that some schedule has. */
export interface ScheduledJob {
  readonly jobName: string;
  readonly scheduleCount: number;
  /** One of them: the first by name. */
  readonly scheduleName: string;
}

interface ScheduledJobRow {
  readonly job_name: string;
  readonly schedule_count: number;
  readonly schedule_name: string;
}

/** Reads and writes schedules, always in a transaction of the caller's. */
export class ScheduleStore {
  private readonly findText: string;
  private readonly findByIdForUpdateText: string;
  private readonly listText: string;
  private readonly insertText: string;
  private readonly updateText: string;
  private readonly setEnabledText: string;
  private readonly scheduledJobsText: string;
  private readonly rememberNameText: string;
  private readonly deleteFiresText: string;
  private readonly deleteText: string;

  constructor(schema: StoreSchema) {
    this.findText = `select ${SCHEDULE_COLUMNS} from ${schema.schedule} s where s.name = $1`;
    this.findByIdForUpdateText = `
      select ${SCHEDULE_COLUMNS} from ${schema.schedule} s where s.id = $1 for update`;
    this.listText = `
      select ${SCHEDULE_COLUMNS} from ${schema.schedule} s
      where ($1::text is null or s.job_name = $1) and ($2::boolean is null or s.is_enabled = $2)
        and ($3::text[] is null or (s.job_name = any($3)) = $4)
      order by s.name`;
    const values = WRITTEN_COLUMNS.map((_, index) => `$${index + 2}`);
    this.insertText = `
      insert into ${schema.schedule} as s (id, version, ${WRITTEN_COLUMNS.join(', ')}, created_at_unix_ms, created_by)
      values ($1, 1, ${values.join(', ')}, $${WRITTEN_COLUMNS.length}, $${WRITTEN_COLUMNS.length + 1})
      on conflict (name) do nothing
      returning ${SCHEDULE_COLUMNS}`;
    this.updateText = `
      update ${schema.schedule} s
      set version = s.version + 1, parked_reason = null,
        ${WRITTEN_COLUMNS.map((column, index) => `${column} = ${kept(column, `$${index + 2}`)}`).join(', ')}
      where s.id = $1
      returning ${SCHEDULE_COLUMNS}`;
    this.setEnabledText = `
      update ${schema.schedule} s
      set version = s.version + 1, is_enabled = $2, next_fire_at_unix_ms = $3,
        accounted_until_unix_ms = ${kept('accounted_until_unix_ms', '$4')}, parked_reason = $5,
        paused_at_unix_ms = $6, paused_by = $7, pause_note = $8, paused_until_unix_ms = $9,
        updated_at_unix_ms = $10, updated_by = $11
      where s.id = $1
      returning ${SCHEDULE_COLUMNS}`;
    this.scheduledJobsText = `
      select s.job_name, count(*)::int as schedule_count, min(s.name) as schedule_name
      from ${schema.schedule} s group by s.job_name order by s.job_name`;
    this.rememberNameText = `
      insert into ${schema.scheduleName} (name, schedule_id) values ($1, $2) on conflict do nothing`;
    this.deleteFiresText = `
      with requests as (delete from ${schema.fireRequest} where schedule_id = $1)
      update ${schema.backfill} set status = 'canceled', next_unix_ms = null, ended_at_unix_ms = $2
      where schedule_id = $1 and status = 'running'`;
    this.deleteText = `delete from ${schema.schedule} where id = $1`;
  }

  async find(executor: Executor, name: string): Promise<Schedule | undefined> {
    const [row] = await executor.query<ScheduleRow>(this.findText, [name]);
    return row === undefined ? undefined : toSchedule(row);
  }

  /** Finds and locks: until the transaction ends, no node claims the schedule and nobody else changes it. */
  async findForUpdate(executor: Executor, name: string): Promise<Schedule | undefined> {
    const [row] = await executor.query<ScheduleRow>(`${this.findText} for update`, [name]);
    return row === undefined ? undefined : toSchedule(row);
  }

  /** The same by id. */
  async findByIdForUpdate(executor: Executor, id: string): Promise<Schedule | undefined> {
    const [row] = await executor.query<ScheduleRow>(this.findByIdForUpdateText, [id]);
    return row === undefined ? undefined : toSchedule(row);
  }

  /** Lists by name. */
  async list(executor: Executor, selection: ScheduleSelection): Promise<Schedule[]> {
    const rows = await executor.query<ScheduleRow>(this.listText, [
      selection.jobName ?? null,
      selection.isEnabled ?? null,
      selection.jobs?.names ?? null,
      selection.jobs?.isAmong ?? null,
    ]);
    return rows.map(toSchedule);
  }

  /** The jobs that schedules have, by name. */
  async scheduledJobs(executor: Executor): Promise<ScheduledJob[]> {
    const rows = await executor.query<ScheduledJobRow>(this.scheduledJobsText);
    return rows.map((row) => ({
      jobName: row.job_name,
      scheduleCount: row.schedule_count,
      scheduleName: row.schedule_name,
    }));
  }

  /** @returns undefined when the name is taken. */
  async insert(
    executor: Executor,
    id: string,
    definition: ScheduleDefinition,
    position: SchedulePosition,
  ): Promise<Schedule | undefined> {
    const [row] = await executor.query<ScheduleRow>(this.insertText, [
      id,
      ...writtenValues(definition, position),
    ]);
    if (row === undefined) {
      return undefined;
    }
    await executor.query(this.rememberNameText, [definition.name, id]);
    return toSchedule(row);
  }

  /**
   * Replaces a schedule that the caller holds locked.
   *
   * @throws ScheduleExistsError when its new name is taken; the unique constraint decides a race of two renames.
   */
  async replace(
    executor: Executor,
    id: string,
    definition: ScheduleDefinition,
    position: SchedulePosition,
  ): Promise<Schedule> {
    try {
      const [row] = await executor.query<ScheduleRow>(this.updateText, [
        id,
        ...writtenValues(definition, position),
      ]);
      await executor.query(this.rememberNameText, [definition.name, id]);
      return toSchedule(present(row, id));
    } catch (error) {
      throw codeOf(error) === UNIQUE_VIOLATION ? new ScheduleExistsError(definition.name) : error;
    }
  }

  /** Pauses or resumes a schedule that the caller holds locked. */
  async setEnabled(executor: Executor, id: string, enablement: Enablement): Promise<Schedule> {
    const [row] = await executor.query<ScheduleRow>(this.setEnabledText, [
      id,
      enablement.isEnabled,
      enablement.nextFireAtUnixMs ?? null,
      enablement.accountedUntilUnixMs ?? null,
      enablement.parkedReason ?? null,
      ...pauseValues(enablement.pause),
      enablement.nowUnixMs,
      enablement.actor,
    ]);
    return toSchedule(present(row, id));
  }

  /** Deletes a schedule that the caller holds locked, with its pending fires; its runs stay. */
  async delete(executor: Executor, id: string, nowUnixMs: number): Promise<void> {
    await executor.query(this.deleteFiresText, [id, nowUnixMs]);
    await executor.query(this.deleteText, [id]);
  }
}

function present(row: ScheduleRow | undefined, id: string): ScheduleRow {
  if (row === undefined) {
    throw new Error(`The schedule ${id} vanished under its lock.`);
  }
  return row;
}

function pauseValues(pause: Pause | undefined): readonly unknown[] {
  return [pause?.atUnixMs ?? null, pause?.by ?? null, pause?.note ?? null, pause?.untilUnixMs ?? null];
}

/** What is not given stays: only a new cursor moves what is accounted for. */
function kept(column: string, parameter: string): string {
  return column === 'accounted_until_unix_ms' ? `coalesce(${parameter}::bigint, s.${column})` : parameter;
}

function writtenValues(definition: ScheduleDefinition, position: SchedulePosition): readonly unknown[] {
  return [
    ...definitionValues(definition),
    position.anchorAtUnixMs,
    position.nextFireAtUnixMs ?? null,
    position.accountedUntilUnixMs ?? null,
    ...pauseValues(position.pause),
    position.nowUnixMs,
    position.actor,
  ];
}
