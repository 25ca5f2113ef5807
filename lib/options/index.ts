export { CronStoreOptionsError } from './cron-store-options.error.js';
export {
  ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  OPTIONS_TYPE,
  type CronStoreModuleExtras,
} from './cron-store.module-definition.js';
export { DEFAULT_AUDIT_REDACT, type CronStoreOptions, type ResolvedOptions } from './cron-store.options.js';
export { CRON_STORE_DATA_SOURCE, CRON_STORE_OPTIONS } from './options.tokens.js';
export { resolveOptions } from './resolve-options.js';
