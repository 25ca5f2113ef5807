export * from './cron-store-options.error.js';
export * from './cron-store.module-definition.js';
export * from './cron-store.options.js';
export * from './options.tokens.js';
export * from './resolve-options.js';
