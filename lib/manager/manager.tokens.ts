/** Within the module of a store, its `ScheduleManager`, whatever the application knows that by. */
export const SCHEDULE_MANAGER = Symbol('SCHEDULE_MANAGER');
