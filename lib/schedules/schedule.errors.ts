import { CronStoreError } from '../cron-store.error.js';
import { quoteName } from './quote-name.js';

/** No schedule has this name. */
export class ScheduleNotFoundError extends CronStoreError {
  override readonly name = 'ScheduleNotFoundError';
  readonly code = 2700;

  constructor(name: string) {
    super(`There is no schedule named ${quoteName(name)}.`);
  }
}

/** The name is taken by another schedule. */
export class ScheduleExistsError extends CronStoreError {
  override readonly name = 'ScheduleExistsError';
  readonly code = 2701;

  constructor(name: string) {
    super(`A schedule named ${quoteName(name)} exists already; choose another name.`);
  }
}

/** A manual fire, a repetition or a backfill of a paused schedule. */
export class ScheduleDisabledError extends CronStoreError {
  override readonly name = 'ScheduleDisabledError';
  readonly code = 2702;

  constructor(name: string) {
    super(`The schedule ${quoteName(name)} is paused; resume it before triggering it.`);
  }
}

/**
 * Anything else that is given and cannot be used: of a specification whatever is not its trigger (name, window, timeout,
 * params, policies), the options of a call, a filter. Also a schedule that would never fire.
 */
export class ScheduleInvalidError extends CronStoreError {
  override readonly name = 'ScheduleInvalidError';
  readonly code = 2706;
}

/** Somebody changed the schedule since the caller read it. */
export class ScheduleConflictError extends CronStoreError {
  override readonly name = 'ScheduleConflictError';
  readonly code = 2707;

  constructor(name: string, expectedVersion: number, version: number) {
    super(
      `The schedule ${quoteName(name)} has version ${version}, not ${expectedVersion}: it was changed since you read it. Read it again and repeat your change.`,
    );
  }
}
