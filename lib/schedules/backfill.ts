import { everyWordOf } from '../every-word-of.js';
import type { Instant } from '../triggers/index.js';

/** Whether a backfill still fires, has fired every occurrence of its range, or was canceled before. */
export type BackfillStatus = 'running' | 'completed' | 'canceled';

/** Every backfill status. */
export const BACKFILL_STATUSES = everyWordOf<BackfillStatus>({
  running: true,
  completed: true,
  canceled: true,
});

/** A past range of time, both ends inclusive, with at most 10,000 occurrences. */
export interface BackfillRequest {
  /** First instant of the range, inclusive. */
  readonly from: Instant;
  /** Last instant of the range, inclusive. Not in the future. */
  readonly to: Instant;
}

/** A past range whose occurrences fire again, because an operator asked for it. */
export interface Backfill {
  /** What `cancelBackfill` takes. */
  readonly id: string;
  /** The schedule that fires. */
  readonly scheduleId: string;
  /** First instant of the range, inclusive, in Unix ms. */
  readonly fromUnixMs: number;
  /** Last instant of the range, inclusive, in Unix ms. */
  readonly toUnixMs: number;
  /** The next occurrence to fire; absent when it is over. */
  readonly nextUnixMs?: number;
  /** How many occurrences the range had when it was asked for. */
  readonly totalCount: number;
  /** How many of them were claimed so far. */
  readonly firedCount: number;
  /** Whether it still fires. */
  readonly status: BackfillStatus;
  /** When it was asked for, in Unix ms. */
  readonly createdAtUnixMs: number;
  /** The id of the actor who asked for it. */
  readonly createdBy: string;
  /** When it completed or was canceled, in Unix ms; absent while it runs. */
  readonly endedAtUnixMs?: number;
}

/** Most occurrences of one backfill. */
export const MAX_BACKFILL_OCCURRENCES = 10_000;
