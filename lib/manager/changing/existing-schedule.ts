import {
  isStorableText,
  ScheduleConflictError,
  ScheduleInvalidError,
  ScheduleNotFoundError,
  type Run,
  type Schedule,
} from '../../schedules/index.js';
import type { Executor, Storage } from '../../storage/index.js';
import type { MutationScope } from './mutations.js';

/**
 * Finds a schedule, locks it, and checks that it has the version the caller read. Until the transaction ends no node
 * claims it and nobody else changes it.
 *
 * @throws ScheduleNotFoundError (2700), ScheduleConflictError (2707).
 */
export async function lockExisting(scope: MutationScope, name: string): Promise<Schedule> {
  const { storage, executor } = scope;
  return asExpected(scope, name, await storage.schedules.findForUpdate(executor, nameToFind(name)));
}

/** The same for the schedule of a run, whatever its name is by now. */
export async function lockScheduleOf(
  scope: MutationScope,
  { scheduleId, scheduleName }: Run,
): Promise<Schedule> {
  const { storage, executor } = scope;
  return asExpected(scope, scheduleName, await storage.schedules.findByIdForUpdate(executor, scheduleId));
}

function asExpected(
  { expectedVersion }: MutationScope,
  name: string,
  current: Schedule | undefined,
): Schedule {
  if (current === undefined) {
    throw new ScheduleNotFoundError(name);
  }
  if (expectedVersion !== undefined && current.version !== expectedVersion) {
    throw new ScheduleConflictError(current.name, expectedVersion, current.version);
  }
  return current;
}

/** Finds a schedule. @throws ScheduleNotFoundError (2700). */
export async function findExisting(storage: Storage, executor: Executor, name: string): Promise<Schedule> {
  const schedule = await storage.schedules.find(executor, nameToFind(name));
  if (schedule === undefined) {
    throw new ScheduleNotFoundError(name);
  }
  return schedule;
}

/** A name that no schedule can have is not looked up: there is none. */
function nameToFind(name: unknown): string {
  if (typeof name !== 'string') {
    throw new ScheduleInvalidError('name is required: the name of the schedule, a string.');
  }
  if (!isStorableText(name)) {
    throw new ScheduleNotFoundError(name);
  }
  return name;
}
