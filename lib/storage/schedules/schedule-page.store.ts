import type { Schedule } from '../../schedules/index.js';
import type { TriggerKind } from '../../triggers/index.js';
import { allOf, Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { pageOf, WINDOW_SIZE, type Page, type PageSlice, type Tally } from '../statements/page.js';
import { HAS_CURSOR } from './can-fire.js';
import { SCHEDULE_COLUMNS, toSchedule, type ScheduleRow } from './schedule.rows.js';
import type { JobSelection } from './schedule.store.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which schedules to find; what is absent does not restrict. */
export interface ScheduleSearch {
  /** Part of the name, literally. */
  readonly name?: string;
  readonly jobName?: string;
  readonly kind?: TriggerKind;
  readonly isEnabled?: boolean;
  readonly jobs?: JobSelection;
  /** Only what is due since before then, and could fire: neither paused nor parked. */
  readonly dueBeforeUnixMs?: number;
}

const SORT_COLUMNS = {
  name: 's.name',
  jobName: 's.job_name',
  nextFireAtUnixMs: 's.next_fire_at_unix_ms',
  lastFireAtUnixMs: 's.last_fire_at_unix_ms',
  createdAtUnixMs: 's.created_at_unix_ms',
  updatedAtUnixMs: 's.updated_at_unix_ms',
} as const;

/** A column by which schedules can be sorted. */
export type ScheduleSortField = keyof typeof SORT_COLUMNS;

/** Every column by which schedules can be sorted, the default first. */
export const SCHEDULE_SORT_FIELDS = Object.keys(SORT_COLUMNS) as ScheduleSortField[];

/** Finds schedules page by page. */
export class SchedulePageStore {
  constructor(private readonly schema: StoreSchema) {}

  /** Finds a page of schedules, by name unless sorted otherwise. */
  async find(
    executor: Executor,
    search: ScheduleSearch,
    slice: PageSlice<ScheduleSortField>,
  ): Promise<Page<Schedule>> {
    const conditions = new Conditions();
    // `strpos` and not LIKE: `%` and `_` in a name match themselves.
    const where = allOf([
      ...conditions.where(search.name, (value) => `strpos(s.name, ${value}::text) > 0`),
      ...conditions.where(search.jobName, (value) => `s.job_name = ${value}`),
      ...conditions.where(search.kind, (value) => `s.kind = ${value}`),
      ...conditions.where(search.isEnabled, (value) => `s.is_enabled = ${value}`),
      ...conditions.where(
        search.jobs?.names,
        (value) => `${search.jobs?.isAmong === true ? '' : 'not '}s.job_name = any(${value}::text[])`,
      ),
      // The conditions of `crn_schedule_due_idx`, which then serves the search.
      ...conditions.where(
        search.dueBeforeUnixMs,
        (value) => `${HAS_CURSOR} and s.next_fire_at_unix_ms < ${value}::bigint`,
      ),
    ]);
    const from = `from ${this.schema.schedule} s where ${where}`;
    const [tally] = await executor.query<Tally>(
      `select count(*) as matched, count(*) as searched from (select 1 ${from} limit ${WINDOW_SIZE}) found`,
      conditions.values,
    );
    const order = orderOf(slice);
    const page = `offset ${conditions.parameter(slice.offset)} limit ${conditions.parameter(slice.limit)}`;
    const rows = await executor.query<ScheduleRow>(
      `select ${SCHEDULE_COLUMNS} ${from} order by ${order} ${page}`,
      conditions.values,
    );
    return pageOf(rows.map(toSchedule), tally);
  }

  /** The job of the schedule that has the name, if there is one. */
  async jobNameOf(executor: Executor, name: string): Promise<string | undefined> {
    const [row] = await executor.query<{ job_name: string }>(
      `select s.job_name from ${this.schema.schedule} s where s.name = $1`,
      [name],
    );
    return row?.job_name;
  }

  /** What the schedule with the id is called now, and its job, if there still is one. */
  async identityOf(
    executor: Executor,
    id: string,
  ): Promise<{ readonly name: string; readonly jobName: string } | undefined> {
    const [row] = await executor.query<{ name: string; job_name: string }>(
      `select s.name, s.job_name from ${this.schema.schedule} s where s.id = $1`,
      [id],
    );
    return row === undefined ? undefined : { name: row.name, jobName: row.job_name };
  }
}

/** Names are unique and never null, so that their index serves their order in both directions. */
function orderOf({ sort }: PageSlice<ScheduleSortField>): string {
  const { field, isDescending } = sort ?? { field: 'name', isDescending: false };
  const direction = isDescending ? 'desc' : 'asc';
  return field === 'name' ? `s.name ${direction}` : `${SORT_COLUMNS[field]} ${direction} nulls last, s.name`;
}
