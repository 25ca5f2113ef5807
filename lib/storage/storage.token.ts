/** Injects the `Storage`, or undefined where the store is disabled. */
export const CRON_STORE_STORAGE = Symbol('CRON_STORE_STORAGE');
