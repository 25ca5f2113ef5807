// What the management API answers with, in the types of the module itself where a browser's program can read them.
export type { AuditRecord } from '../../../schedules/audit.js';
export type { Hold } from '../../../schedules/hold.js';
export type { Node } from '../../../schedules/node.js';
export type { Run, RunStatus, RunSummary } from '../../../schedules/run.js';
export type { JsonValue, ListedSchedule } from '../../../schedules/schedule.js';
export type { Trigger } from '../../../triggers/trigger.js';

import type { RunStatus, RunSummary } from '../../../schedules/run.js';
import type { ListedSchedule } from '../../../schedules/schedule.js';

// The types of these are in files of the server, which no browser could compile.

export interface PageOf<Item> {
  readonly page: number;
  readonly size: number;
  readonly total: number;
  readonly totalIsExact: boolean;
  readonly items: readonly Item[];
}

/** Who is signed in, and what they may do. */
export interface Access {
  readonly actor: { readonly id: string; readonly name?: string };
  readonly store: { readonly name: string; readonly environment?: string };
  readonly nowUnixMs: number;
  readonly permitted: readonly string[];
}

export interface ScheduleDetail {
  readonly schedule: ListedSchedule;
  readonly nextFiresUnixMs: readonly number[];
  readonly nextFiresIfResumedUnixMs: readonly number[];
}

export interface LatestRuns {
  readonly scheduleId: string;
  readonly runs: readonly RunSummary[];
}

/** How many runs an interval of time had, by status. */
export interface RunCount {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  readonly counts: { readonly [Status in RunStatus]?: number };
}

export interface RunCounts {
  readonly intervals: readonly RunCount[];
  readonly isExact: boolean;
}

export interface UpcomingFiresOf {
  readonly scheduleId: string;
  readonly scheduleName: string;
  readonly firesUnixMs: readonly number[];
  readonly isComplete: boolean;
  readonly heldUntilUnixMs?: number;
}

export interface UpcomingFires {
  readonly nowUnixMs: number;
  readonly items: readonly UpcomingFiresOf[];
  readonly isComplete: boolean;
}
