import type { Occurrences } from '../triggers/index.js';
import type { MisfirePolicy } from './policies.js';

/** Occurrences that will never run: the first of them, and how many there are. */
export interface MissedGap {
  readonly firstAtUnixMs: number;
  readonly count: number;
}

/** What becomes of a schedule's due occurrences, and where its cursor goes. */
export interface DueDecision {
  /** Logical time of the one occurrence that fires. */
  readonly fireAtUnixMs?: number;
  readonly missed?: MissedGap;
  /** The next occurrence to claim; absent when there is none. */
  readonly nextFireAtUnixMs?: number;
  /** Every occurrence up to here, inclusive, has fired now or is journaled as missed. */
  readonly accountedUntilUnixMs: number;
  /** With `backfill`: what is due up to here is a backlog, cut to its limit once and for all. */
  readonly backfillUntilUnixMs?: number;
}

/** A schedule that is due, at the store's now. */
export interface DueSchedule {
  readonly occurrences: Occurrences;
  /** The oldest due occurrence. */
  readonly cursorUnixMs: number;
  readonly nowUnixMs: number;
  readonly misfireThresholdMs: number;
  readonly misfirePolicy: MisfirePolicy;
  /** With `backfill`: absent without a limit. */
  readonly backfillLimit?: number | undefined;
  /** Up to where the occurrences of the last outage are a backlog; absent before the first. */
  readonly backfillUntilUnixMs?: number | undefined;
}

/** True when the occurrence is late enough for the misfire policy to decide. Exactly at the threshold is on time. */
export function isMisfired(cursorUnixMs: number, nowUnixMs: number, misfireThresholdMs: number): boolean {
  return nowUnixMs - cursorUnixMs > misfireThresholdMs;
}

/**
 * Decides what a due schedule does. The oldest due occurrence rules: while it is on time it fires and the cursor moves
 * by one; once it is late the misfire policy covers every due occurrence up to now, and the cursor moves past now (with
 * `backfill`: through them, one by one).
 *
 * The cursor itself always counts as an occurrence, also where the trigger would no longer produce it: it was one
 * when it was stored (another node's time-zone rules, an edit of the row), and what became due is never dropped.
 */
export function decideDue(due: DueSchedule): DueDecision {
  const { occurrences, cursorUnixMs, nowUnixMs } = due;
  if (!isMisfired(cursorUnixMs, nowUnixMs, due.misfireThresholdMs)) {
    return { fireAtUnixMs: cursorUnixMs, ...positionAfter(occurrences, cursorUnixMs) };
  }
  if (due.misfirePolicy === 'backfill') {
    return decideBackfill(due);
  }
  const position = positionAfter(occurrences, nowUnixMs);
  const dueCount = 1 + occurrences.count(cursorUnixMs, nowUnixMs);
  if (due.misfirePolicy === 'skip') {
    return { missed: { firstAtUnixMs: cursorUnixMs, count: dueCount }, ...position };
  }
  const latest = dueCount === 1 ? cursorUnixMs : (occurrences.previous(nowUnixMs) ?? cursorUnixMs);
  return {
    fireAtUnixMs: latest,
    ...(dueCount > 1 ? { missed: { firstAtUnixMs: cursorUnixMs, count: dueCount - 1 } } : {}),
    ...position,
  };
}

/**
 * One occurrence at a time, the oldest first, so that a long backfill never holds up other schedules. What an outage left
 * becomes a backlog once, and is cut to its limit then: occurrences of it are not cut again while they wait.
 */
function decideBackfill(due: DueSchedule): DueDecision {
  const { occurrences, cursorUnixMs, nowUnixMs, backfillLimit = Infinity, backfillUntilUnixMs } = due;
  if (backfillUntilUnixMs !== undefined && cursorUnixMs <= backfillUntilUnixMs) {
    return { fireAtUnixMs: cursorUnixMs, ...positionAfter(occurrences, cursorUnixMs) };
  }
  const excess = 1 + occurrences.count(cursorUnixMs, nowUnixMs) - backfillLimit;
  const oldestKept = excess <= 0 ? cursorUnixMs : nthLatest(occurrences, nowUnixMs, backfillLimit);
  return {
    fireAtUnixMs: oldestKept,
    ...(excess <= 0 ? {} : { missed: { firstAtUnixMs: cursorUnixMs, count: excess } }),
    ...positionAfter(occurrences, oldestKept),
    backfillUntilUnixMs: nowUnixMs,
  };
}

/** The n-th occurrence counted back from an instant; there are as many. */
function nthLatest(occurrences: Occurrences, nowUnixMs: number, n: number): number {
  let latest = nowUnixMs + 1;
  for (let count = 0; count < n; count += 1) {
    latest = occurrences.previous(latest - 1) ?? latest;
  }
  return latest;
}

/** Everything due up to now as one gap: what a change of timing leaves behind. Undefined when nothing is due. */
export function overdueGap(
  occurrences: Occurrences,
  cursorUnixMs: number,
  nowUnixMs: number,
): MissedGap | undefined {
  if (cursorUnixMs > nowUnixMs) {
    return undefined;
  }
  return { firstAtUnixMs: cursorUnixMs, count: 1 + occurrences.count(cursorUnixMs, nowUnixMs) };
}

/** Where the cursor goes when every occurrence up to an instant is accounted for. */
export function positionAfter(
  occurrences: Occurrences,
  accountedUntilUnixMs: number,
): Pick<DueDecision, 'nextFireAtUnixMs' | 'accountedUntilUnixMs'> {
  const next = occurrences.next(accountedUntilUnixMs);
  return { accountedUntilUnixMs, ...(next === undefined ? {} : { nextFireAtUnixMs: next }) };
}
