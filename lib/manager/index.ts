export { AuditTrail, type AuditEntry } from './audit-trail.js';
export { DefaultScheduleSeeder } from './default-schedule.seeder.js';
export type { RunFilter, ScheduleFilter } from './filters.js';
export type { MutationOptions } from './mutation-options.js';
export { Mutations } from './mutations.js';
export { ScheduleManager, type ManualFireReceipt, type ScheduleDetail } from './schedule-manager.js';
export { ZoneRulesKeeper } from './zone-rules.keeper.js';
