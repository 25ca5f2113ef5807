import {
  defineRetry,
  scheduleState,
  type CompleteRetryPolicy,
  type FiringSchedule,
  type JsonValue,
  type Schedule,
  type ScheduleDefinition,
} from '../../schedules/index.js';
import { toNumber, toOptionalNumber } from '../statements/column-values.js';
import type { DstGap, TriggerKind } from '../../triggers/index.js';

/** A row of `crn_schedule` as `FIRING_COLUMNS` selects it. */
export interface FiringRow {
  readonly id: string;
  readonly name: string;
  readonly job_name: string;
  readonly kind: TriggerKind;
  readonly expr: string | null;
  readonly timezone: string | null;
  readonly dst_gap: DstGap | null;
  readonly every_ms: number | string | null;
  readonly fire_at_unix_ms: number | string | null;
  readonly starts_at_unix_ms: number | string | null;
  readonly ends_at_unix_ms: number | string | null;
  readonly anchor_at_unix_ms: number | string;
  readonly params_json: string | null;
  readonly misfire_policy: Schedule['misfirePolicy'];
  readonly backfill_limit: number | null;
  readonly concurrency_policy: Schedule['concurrencyPolicy'];
  readonly recover: boolean;
  readonly retry_json: string | null;
  readonly timeout_ms: number | string;
  readonly next_fire_at_unix_ms: number | string | null;
  readonly last_fire_at_unix_ms: number | string | null;
}

/** A row of `crn_schedule` as `SCHEDULE_COLUMNS` selects it. */
export interface ScheduleRow extends FiringRow {
  readonly is_enabled: boolean;
  readonly parked_reason: string | null;
  readonly paused_at_unix_ms: number | string | null;
  readonly paused_by: string | null;
  readonly pause_note: string | null;
  readonly paused_until_unix_ms: number | string | null;
  readonly version: number;
  readonly created_at_unix_ms: number | string;
  readonly created_by: string;
  readonly updated_at_unix_ms: number | string;
  readonly updated_by: string;
}

/**
 * The columns of a schedule `s` that its fires depend on: a claim reads hundreds of rows, and each column that it does not
 * read counts. Params come as text, whatever parser for JSON a connection has.
 */
export const FIRING_COLUMNS = `s.id, s.name, s.job_name, s.kind, s.expr, s.timezone, s.dst_gap, s.every_ms,
  s.fire_at_unix_ms, s.starts_at_unix_ms, s.ends_at_unix_ms, s.anchor_at_unix_ms, s.params::text as params_json,
  s.misfire_policy, s.backfill_limit, s.concurrency_policy, s.recover, s.retry::text as retry_json, s.timeout_ms,
  s.next_fire_at_unix_ms, s.last_fire_at_unix_ms`;

/** Every column of a schedule `s`. */
export const SCHEDULE_COLUMNS = `${FIRING_COLUMNS}, s.is_enabled, s.parked_reason, s.paused_at_unix_ms, s.paused_by,
  s.pause_note, s.paused_until_unix_ms, s.version, s.created_at_unix_ms, s.created_by, s.updated_at_unix_ms, s.updated_by`;

/** Reads a schedule from its row: what does not apply is absent, not null. */
export function toSchedule(row: ScheduleRow): Schedule {
  const schedule: Writable<Stored> = Object.assign(toFiringSchedule(row), {
    isEnabled: row.is_enabled,
    version: row.version,
    createdAtUnixMs: toNumber(row.created_at_unix_ms),
    createdBy: row.created_by,
    updatedAtUnixMs: toNumber(row.updated_at_unix_ms),
    updatedBy: row.updated_by,
  });
  setPresent(schedule, 'parkedReason', row.parked_reason);
  setPresent(schedule, 'pausedAtUnixMs', toOptionalNumber(row.paused_at_unix_ms));
  setPresent(schedule, 'pausedBy', row.paused_by);
  setPresent(schedule, 'pauseNote', row.pause_note);
  setPresent(schedule, 'pausedUntilUnixMs', toOptionalNumber(row.paused_until_unix_ms));
  return Object.assign(schedule, { state: scheduleState(schedule) });
}

/** Reads what a claim needs of a schedule. */
export function toFiringSchedule(row: FiringRow): FiringSchedule {
  const schedule: Writable<FiringSchedule> = {
    id: row.id,
    name: row.name,
    jobName: row.job_name,
    kind: row.kind,
    anchorAtUnixMs: toNumber(row.anchor_at_unix_ms),
    misfirePolicy: row.misfire_policy,
    concurrencyPolicy: row.concurrency_policy,
    recover: row.recover,
    timeoutMs: toNumber(row.timeout_ms),
  };
  // Assigned one by one: as many spreads of small objects would cost more than all the rest.
  setPresent(schedule, 'expr', row.expr);
  setPresent(schedule, 'timezone', row.timezone);
  setPresent(schedule, 'dstGap', row.dst_gap);
  setPresent(schedule, 'everyMs', toOptionalNumber(row.every_ms));
  setPresent(schedule, 'fireAtUnixMs', toOptionalNumber(row.fire_at_unix_ms));
  setPresent(schedule, 'startsAtUnixMs', toOptionalNumber(row.starts_at_unix_ms));
  setPresent(schedule, 'endsAtUnixMs', toOptionalNumber(row.ends_at_unix_ms));
  if (row.params_json !== null) {
    schedule.params = JSON.parse(row.params_json) as JsonValue;
  }
  setPresent(schedule, 'backfillLimit', row.backfill_limit);
  if (row.retry_json !== null) {
    setPresent(schedule, 'retry', storedRetry(row.retry_json));
  }
  setPresent(schedule, 'nextFireAtUnixMs', toOptionalNumber(row.next_fire_at_unix_ms));
  setPresent(schedule, 'lastFireAtUnixMs', toOptionalNumber(row.last_fire_at_unix_ms));
  return schedule;
}

/**
 * A policy that was written past the manager is completed with the defaults; what is none means no retry. So a handler
 * that fails finds a policy that can be followed, or none, whatever the row holds.
 */
function storedRetry(json: string): CompleteRetryPolicy | null {
  try {
    return defineRetry(JSON.parse(json)) ?? null;
  } catch {
    return null;
  }
}

type Stored = Omit<Schedule, 'state'>;

type Writable<Fields> = { -readonly [Name in keyof Fields]: Fields[Name] };

function setPresent<Fields extends object, Name extends keyof Fields>(
  fields: Fields,
  name: Name,
  value: Fields[Name] | null,
): void {
  if (value !== null) {
    fields[name] = value;
  }
}

/** The columns that a definition fills, in the order of `definitionValues`. */
export const DEFINITION_COLUMNS = [
  'name',
  'job_name',
  'kind',
  'expr',
  'timezone',
  'dst_gap',
  'every_ms',
  'fire_at_unix_ms',
  'starts_at_unix_ms',
  'ends_at_unix_ms',
  'params',
  'misfire_policy',
  'backfill_limit',
  'concurrency_policy',
  'recover',
  'retry',
  'timeout_ms',
  'is_enabled',
] as const;

/** A definition as the values of `DEFINITION_COLUMNS`. */
export function definitionValues(definition: ScheduleDefinition): readonly unknown[] {
  const { trigger } = definition;
  const cron = trigger.kind === 'cron' ? trigger : undefined;
  return [
    definition.name,
    definition.jobName,
    trigger.kind,
    cron?.expr,
    cron?.timezone,
    cron?.dstGap,
    trigger.kind === 'interval' ? trigger.everyMs : undefined,
    trigger.kind === 'once' ? trigger.atUnixMs : undefined,
    definition.startsAtUnixMs,
    definition.endsAtUnixMs,
    definition.paramsJson,
    definition.misfirePolicy,
    definition.backfillLimit,
    definition.concurrencyPolicy,
    definition.recover,
    definition.retry === undefined ? undefined : JSON.stringify(definition.retry),
    definition.timeoutMs,
    definition.isEnabled,
  ].map((value) => value ?? null);
}
