import type { AuditOutcome, AuditRecord, JsonValue } from '../../schedules/index.js';
import { optional, toNumber } from '../statements/column-values.js';
import { allOf, Conditions } from '../statements/conditions.js';
import type { Executor } from '../connections/executor.js';
import { smallestIdAt } from '../statements/identifiers.js';
import { pageOf, WINDOW_SIZE, type Page, type PageSlice, type Tally } from '../statements/page.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Which records to find; what is absent does not restrict. */
export interface AuditSearch {
  readonly actorId?: string;
  readonly resource?: string;
  readonly action?: string;
  /**
   * What was acted on: the id of a run, or the name of a schedule. A schedule is found by every name that it has or had, under
   * whichever of them it was addressed.
   */
  readonly target?: string;
  readonly outcome?: AuditOutcome;
  /** Bounds of the time of the record, both inclusive. */
  readonly atFromUnixMs?: number;
  readonly atToUnixMs?: number;
}

/** A column by which the audit trail can be sorted. */
export type AuditSortField = 'atUnixMs';

/** Every column by which the audit trail can be sorted. */
export const AUDIT_SORT_FIELDS: readonly AuditSortField[] = ['atUnixMs'];

interface AuditRow {
  readonly id: string;
  readonly at_unix_ms: number | string;
  readonly actor_id: string | null;
  readonly actor_name: string | null;
  readonly resource: string;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: AuditOutcome;
  readonly code: number;
  readonly attempts: number | string;
  readonly request_id: string | null;
  readonly ip: string | null;
  readonly user_agent: string | null;
  readonly params_json: string | null;
  readonly before_json: string | null;
  readonly after_json: string | null;
  readonly elapsed_ms: number | string;
}

/** What a search by a target is about. */
interface Targets {
  /** As it was asked for. */
  readonly given: string;
  /** The given one, and the other names of the schedules that have or had it. */
  readonly names: readonly string[];
  /** Of these schedules. */
  readonly scheduleIds: readonly string[];
}

const COLUMNS = `a.id, a.at_unix_ms, a.actor_id, a.actor_name, a.resource, a.action, a.target, a.outcome, a.code,
  a.attempts, a.request_id, a.ip, a.user_agent, a.params::text as params_json, a.before::text as before_json,
  a.after::text as after_json, a.elapsed_ms`;

/**
 * Reads the audit trail: within the newest WINDOW_SIZE records of a time range, and of a target where there is one. Ids
 * sort by time, so that a time range is a range of the primary key.
 */
export class AuditPageStore {
  constructor(private readonly schema: StoreSchema) {}

  /** Finds a page of records, the newest first unless sorted otherwise. */
  async find(
    executor: Executor,
    search: AuditSearch,
    slice: PageSlice<AuditSortField>,
  ): Promise<Page<AuditRecord>> {
    const targets = search.target === undefined ? undefined : await this.targetsOf(executor, search.target);
    const conditions = new Conditions();
    const window = this.window(search, targets, conditions);
    const filters = filtersOf(search, targets, conditions);
    const [tally] = await executor.query<Tally>(
      `select count(*) filter (where ${filters}) as matched, count(*) as searched from (${window}) a`,
      conditions.values,
    );
    const direction = slice.sort?.isDescending === false ? 'asc' : 'desc';
    const page = `offset ${conditions.parameter(slice.offset)} limit ${conditions.parameter(slice.limit)}`;
    const rows = await executor.query<AuditRow>(
      `select ${COLUMNS} from (${window}) a where ${filters} order by a.id ${direction} ${page}`,
      conditions.values,
    );
    return pageOf(rows.map(toAuditRecord), tally);
  }

  private async targetsOf(executor: Executor, given: string): Promise<Targets> {
    const { scheduleName } = this.schema;
    const rows = await executor.query<{ readonly schedule_id: string; readonly name: string }>(
      `select n.schedule_id, n.name from ${scheduleName} n
       where n.schedule_id in (select g.schedule_id from ${scheduleName} g where g.name = $1)`,
      [given],
    );
    return {
      given,
      names: [...new Set([given, ...rows.map(({ name }) => name)])],
      scheduleIds: [...new Set(rows.map(({ schedule_id: id }) => id))],
    };
  }

  private window(
    { atFromUnixMs, atToUnixMs }: AuditSearch,
    targets: Targets | undefined,
    conditions: Conditions,
  ): string {
    const inTime = [
      ...conditions.where(idAt(atFromUnixMs), (value) => `a.id >= ${value}::uuid`),
      ...conditions.where(
        idAt(atToUnixMs === undefined ? undefined : atToUnixMs + 1),
        (value) => `a.id < ${value}::uuid`,
      ),
    ];
    const newest = `order by a.id desc limit ${WINDOW_SIZE}`;
    if (targets === undefined) {
      return `select a.* from ${this.schema.audit} a where ${allOf(inTime)} ${newest}`;
    }
    // One range of the index for each name, as every one of them has to be read from its newest record back.
    return `
      select a.* from unnest(${conditions.parameter(targets.names)}::text[]) as addressed (name) cross join lateral (
        select a.* from ${this.schema.audit} a where ${allOf(['a.target = addressed.name', ...inTime])} ${newest}
      ) a ${newest}`;
  }
}

function filtersOf(search: AuditSearch, targets: Targets | undefined, conditions: Conditions): string {
  return allOf([
    ...(targets === undefined ? [] : [isAbout(targets, conditions)]),
    ...conditions.where(search.actorId, (value) => `a.actor_id = ${value}`),
    ...conditions.where(search.resource, (value) => `a.resource = ${value}`),
    ...conditions.where(search.action, (value) => `a.action = ${value}`),
    ...conditions.where(search.outcome, (value) => `a.outcome = ${value}`),
  ]);
}

/**
 * The condition that a record is about the schedules of a search. Another schedule may have one of their other names by now,
 * or may have had it before: what a record tells of a schedule says by its id whose it is. A record that tells nothing, such
 * as that of a refused attempt, counts as theirs.
 */
function isAbout({ given, scheduleIds }: Targets, conditions: Conditions): string {
  const scheduleId = `coalesce(a.after ->> 'scheduleId', a.after ->> 'id', a.before ->> 'id')`;
  return `(a.target = ${conditions.parameter(given)} or ${scheduleId} is null
    or ${scheduleId} = any (${conditions.parameter(scheduleIds)}::text[]))`;
}

function idAt(unixMs: number | undefined): string | undefined {
  return unixMs === undefined ? undefined : smallestIdAt(unixMs);
}

function toAuditRecord(row: AuditRow): AuditRecord {
  return {
    id: row.id,
    atUnixMs: toNumber(row.at_unix_ms),
    ...optional('actorId', row.actor_id),
    ...optional('actorName', row.actor_name),
    resource: row.resource,
    action: row.action,
    ...optional('target', row.target),
    outcome: row.outcome,
    code: row.code,
    attempts: toNumber(row.attempts),
    ...optional('requestId', row.request_id),
    ...optional('ip', row.ip),
    ...optional('userAgent', row.user_agent),
    ...optional('params', parsed(row.params_json)),
    ...optional('before', parsed(row.before_json)),
    ...optional('after', parsed(row.after_json)),
    elapsedMs: toNumber(row.elapsed_ms),
  };
}

function parsed(json: string | null): JsonValue {
  return json === null ? null : (JSON.parse(json) as JsonValue);
}
