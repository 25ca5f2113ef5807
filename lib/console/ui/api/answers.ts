// What the management API answers with, in the types of the module itself.
export type { AuditRecord } from '../../../schedules/audit.js';
export type { Node } from '../../../schedules/node.js';
export type { Run, RunStatus, RunSummary } from '../../../schedules/run.js';
export type { JsonValue, ListedSchedule } from '../../../schedules/schedule.js';
export type { Trigger } from '../../../triggers/trigger.js';

export interface PageOf<Item> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly items: readonly Item[];
}
