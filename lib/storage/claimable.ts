import { CONCURRENCY_POLICIES, MISFIRE_POLICIES } from '../schedules/index.js';
import type { StoreSchema } from './store-schema.js';

/**
 * The condition under which this node may claim fires of a schedule `s`: it is not paused, its job is registered here
 * (the names are in the parameter), and its policies are words that this version knows. Schedules with words that a
 * newer version added are left to that version's nodes.
 */
export function claimableSchedule(jobNamesParameter: string): string {
  return `s.is_enabled and s.job_name = any(${jobNamesParameter}::text[])
    and s.misfire_policy in (${words(MISFIRE_POLICIES)}) and s.concurrency_policy in (${words(CONCURRENCY_POLICIES)})`;
}

/** The condition under which a schedule `s` has a cursor to claim, as the index crn_schedule_due_idx has it. */
export const HAS_CURSOR = 's.parked_reason is null and s.next_fire_at_unix_ms is not null';

/**
 * The condition under which a request `q` of a claimable schedule `s` can be claimed. What must wait for a running run
 * is left out here already, so that it neither fills every batch nor wakes the node; the claim decides again under the
 * lock.
 */
export function claimableRequest(schema: StoreSchema): string {
  return `q.origin in ('manual', 'recovery')
    and not (q.origin = 'recovery' and s.concurrency_policy = 'forbid' and exists (
      select from ${schema.run} r where r.schedule_id = s.id and r.status = 'running'))`;
}

function words(vocabulary: readonly string[]): string {
  return vocabulary.map((word) => `'${word}'`).join(', ');
}
