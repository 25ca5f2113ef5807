// The entry point nestjs-cron-store/health. Nothing here needs @nestjs/terminus.
export { CronStoreHealth } from './cron-store-health.js';
export type { DegradedReason, DownReason, HealthReport, HealthStatus } from './health-report.js';
export type { HealthCheckOptions, HealthThresholds } from './health-thresholds.js';
