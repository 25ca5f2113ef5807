import { CronStoreError } from '../cron-store.error.js';
import { storeCommand } from '../store-command.js';
import { quoteName } from './quote-name.js';

/** The module is imported with `enabled: false`. */
export class StoreDisabledError extends CronStoreError {
  override readonly name = 'StoreDisabledError';
  readonly code = 2705;

  constructor() {
    super('The schedule store is disabled; import CronStoreModule with `enabled: true` to use it.');
  }
}

/** The store belongs to another environment than this application. Also fails start-up. */
export class StoreEnvironmentError extends CronStoreError {
  override readonly name = 'StoreEnvironmentError';
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
        ? `The schedules in this database belong to the environment ${quoteName(stored)}, and this application declares none: set the option environment, or connect to another database.`
        : `The schedules in this database belong to the environment ${quoteName(stored)}, and this application is ${quoteName(own)}: connect to another database, or take them over with \`${storeCommand(schema, 'take-over', '--environment', own)}\`.`,
    );
  }
}
