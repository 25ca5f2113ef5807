import type { Role } from './users.js';

/** What each role may do with schedules. */
export const PERMISSIONS: Readonly<Record<Role, readonly string[]>> = {
  viewer: ['cron.schedule.query', 'cron.run.query'],
  operator: ['cron.schedule.query', 'cron.schedule.manage', 'cron.run.query', 'cron.audit.query'],
};
