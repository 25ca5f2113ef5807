import type { Instant } from '../triggers/index.js';

/** Whether a backfill still fires, has fired every occurrence of its range, or was canceled before. */
export type BackfillStatus = 'running' | 'completed' | 'canceled';

/** A past range of time, both ends inclusive. */
export interface BackfillRequest {
  readonly from: Instant;
  readonly to: Instant;
}

/** A past range whose occurrences fire again, because an operator asked for it. */
export interface Backfill {
  readonly id: string;
  readonly scheduleId: string;
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  /** The next occurrence to fire; absent when it is over. */
  readonly nextUnixMs?: number;
  /** How many occurrences the range had when it was asked for. */
  readonly totalCount: number;
  /** How many of them were claimed so far. */
  readonly firedCount: number;
  readonly status: BackfillStatus;
  readonly createdAtUnixMs: number;
  readonly createdBy: string;
  readonly endedAtUnixMs?: number;
}

/** Most occurrences of one backfill. */
export const MAX_BACKFILL_OCCURRENCES = 10_000;
