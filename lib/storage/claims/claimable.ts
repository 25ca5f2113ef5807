import { CONCURRENCY_POLICIES, MISFIRE_POLICIES } from '../../schedules/index.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** The parameters that the conditions of a claim refer to. */
export interface ClaimParameters {
  /** The job names of the node. */
  readonly jobNames: string;
  /** The store's now. */
  readonly now: string;
  /** From when on an occurrence counts as misfired: older ones are. */
  readonly misfiredBefore: string;
}

/**
 * The condition under which this node may claim fires of a schedule `s`: its job is registered here and not held, and
 * its policies are words that this version knows. Schedules with words that a newer version added are left to that
 * version's nodes. Whether it is paused is for each kind of fire to say.
 */
export function claimableSchedule(schema: StoreSchema, { jobNames, now }: ClaimParameters): string {
  // The held jobs are taken from the node's, and not refused row by row: an inequality over few distinct jobs makes the
  // planner expect no row, and read every schedule to find the first.
  return `s.job_name = any (array(
      select job.name from unnest(${jobNames}::text[]) as job (name)
      where not exists (
        select from ${schema.hold} h
        where h.job_name in ('', job.name) and (h.until_unix_ms is null or h.until_unix_ms > ${now}::bigint))))
    and s.misfire_policy in (${words(MISFIRE_POLICIES)}) and s.concurrency_policy in (${words(CONCURRENCY_POLICIES)})`;
}

/** The condition that the cursor of a schedule `s` stands in a backlog, which is worked off behind everything else. */
export function isInBacklog({ misfiredBefore }: ClaimParameters): string {
  return `(s.misfire_policy = 'backfill' and (s.next_fire_at_unix_ms < ${misfiredBefore}::bigint
    or s.next_fire_at_unix_ms <= coalesce(s.backfill_until_unix_ms, s.next_fire_at_unix_ms - 1)))`;
}

/**
 * The condition that the due cursor of a schedule `s` waits for its running run to end. As in every condition of this
 * kind, what waits is left out of the claim here already, so that it neither fills every batch nor wakes the node; the
 * claim decides again under the lock.
 */
export function cursorWaits(schema: StoreSchema, parameters: ClaimParameters): string {
  return `((${isInBacklog(parameters)} and ${hasExclusiveRun(schema)}) or ${isBeingReplaced(schema)})`;
}

/** The condition that a past range of a schedule `s` waits for its running run to end. */
export function backfillWaits(schema: StoreSchema): string {
  return hasExclusiveRun(schema);
}

/** The condition under which a request `q` of a claimable schedule `s` is due, and need not wait. */
export function isDueRequest(schema: StoreSchema, { now }: ClaimParameters): string {
  return `q.due_at_unix_ms <= ${now}::bigint and ${canBeClaimed(schema)}`;
}

/** When the first request is due of those that need not wait, of the schedules that can be claimed: a value in a statement. */
export function firstRequestDue(schema: StoreSchema, parameters: ClaimParameters): string {
  return `(
    select min(q.due_at_unix_ms) from ${schema.fireRequest} q
    join ${schema.schedule} s on s.id = q.schedule_id
    where ${claimableSchedule(schema, parameters)} and ${canBeClaimed(schema)}
  )`;
}

/** The condition under which a request `q` of a claimable schedule `s` can be claimed when it is due. */
function canBeClaimed(schema: StoreSchema): string {
  return `(s.is_enabled or q.fires_while_paused)
    and not ((q.is_queued or q.origin in ('recovery', 'retry')) and ${hasExclusiveRun(schema)})
    and not ${isBeingReplaced(schema)}`;
}

function hasExclusiveRun(schema: StoreSchema): string {
  return `(s.concurrency_policy <> 'allow' and exists (
    select from ${schema.run} r where r.schedule_id = s.id and r.status = 'running'))`;
}

function isBeingReplaced(schema: StoreSchema): string {
  return `(s.concurrency_policy = 'replace' and exists (
    select from ${schema.run} r where r.schedule_id = s.id and r.status = 'running'
      and r.cancel_requested_at_unix_ms is not null))`;
}

function words(vocabulary: readonly string[]): string {
  return vocabulary.map((word) => `'${word}'`).join(', ');
}
