// The entry point nestjs-cron-store/health/terminus, apart from the other, because it needs @nestjs/terminus.
export { CronStoreHealthIndicator } from './cron-store-health.indicator.js';
