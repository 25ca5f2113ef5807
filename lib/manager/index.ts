export { DefaultScheduleSeeder } from './default-schedule.seeder.js';
export type { RunFilter, ScheduleFilter } from './filters.js';
export type { MutationOptions } from './mutation.js';
export { ScheduleManager, type ManualFireReceipt, type ScheduleDetail } from './schedule-manager.js';
export { ZoneRulesKeeper } from './zone-rules.keeper.js';
