import { CronStoreError } from '../cron-store.error.js';
import { storeCommand } from '../store-command.js';
import { preview, quote } from './preview.js';

/** No schedule has this name. */
export class ScheduleNotFoundError extends CronStoreError {
  readonly code = 2700;

  constructor(name: string) {
    super(`There is no schedule named ${quote(name)}.`);
  }
}

/** The name is taken by another schedule. */
export class ScheduleExistsError extends CronStoreError {
  readonly code = 2701;

  constructor(name: string) {
    super(`A schedule named ${quote(name)} exists already; choose another name.`);
  }
}

/** A manual fire of a paused schedule. */
export class ScheduleDisabledError extends CronStoreError {
  readonly code = 2702;

  constructor(name: string) {
    super(`The schedule ${quote(name)} is paused; resume it before triggering it.`);
  }
}

/** Neither this process nor any live node registers the job name. */
export class JobNotRegisteredError extends CronStoreError {
  readonly code = 2704;

  constructor(jobName: string, registered: readonly string[]) {
    const known = registered.length > 0 ? registered.map(quote).join(', ') : 'none';
    super(
      `No job handler named ${quote(jobName)} is registered in this process or on a live node. Registered: ${known}.`,
    );
  }
}

/** The module is imported with `enabled: false`. */
export class StoreDisabledError extends CronStoreError {
  readonly code = 2705;

  constructor() {
    super('The schedule store is disabled; import CronStoreModule with `enabled: true` to use it.');
  }
}

/** A fault of a schedule's specification that is not one of its trigger: name, window, timeout, params, policies. */
export class ScheduleInvalidError extends CronStoreError {
  readonly code = 2706;
}

/** Somebody changed the schedule since the caller read it. */
export class ScheduleConflictError extends CronStoreError {
  readonly code = 2707;

  constructor(name: string, expectedVersion: number, version: number) {
    super(
      `The schedule ${quote(name)} has version ${version}, not ${expectedVersion}: it was changed since you read it. Read it again and repeat your change.`,
    );
  }
}

/** The store belongs to another environment than this application. */
export class StoreEnvironmentError extends CronStoreError {
  readonly code = 2708;

  constructor(
    /** The environment that the store belongs to. */
    readonly stored: string,
    /** The environment of this application; undefined where it declares none. */
    readonly own: string | undefined,
    schema: string,
  ) {
    super(
      own === undefined
        ? `The schedules in this database belong to the environment ${quote(stored)}, and this application declares none: set the option environment, or connect to another database.`
        : `The schedules in this database belong to the environment ${quote(stored)}, and this application is ${quote(own)}: connect to another database, or take them over with \`${storeCommand(schema, 'take-over', '--environment', own)}\`.`,
    );
  }
}

/** No run has this id; the code is that of a record that is not found. */
export class RunNotFoundError extends CronStoreError {
  readonly code = 2001;

  constructor(id: unknown) {
    super(`There is no run with the id ${preview(id)}.`);
  }
}
