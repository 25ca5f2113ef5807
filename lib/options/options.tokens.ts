// A leaf file: a token beside the module definition would make a cycle of ES modules, in which it is still undefined
// when the decorators of its importers read it.

/** What the host gave to `forRoot` or returned from `forRootAsync`, unchecked. */
export const CRON_STORE_RAW_OPTIONS = Symbol('CRON_STORE_RAW_OPTIONS');

/** The host's options, checked and complete: `ResolvedOptions`. */
export const CRON_STORE_OPTIONS = Symbol('CRON_STORE_OPTIONS');

/** The name of the data source as it was given to the module itself, known before any factory has run. */
export const CRON_STORE_DATA_SOURCE_NAME = Symbol('CRON_STORE_DATA_SOURCE_NAME');

/** The host's TypeORM `DataSource`, or undefined where the store is disabled and the host has none. */
export const CRON_STORE_DATA_SOURCE = Symbol('CRON_STORE_DATA_SOURCE');
