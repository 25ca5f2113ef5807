import {
  named,
  shown,
  type Check,
  type Evidence,
  type History,
  type RequestChange,
  type RunChange,
  type RunRow,
  type ScheduleChange,
  type ScheduleRow,
} from './evidence.js';
import { occurrenceOracle, type OccurrenceOracle } from './occurrence-oracle.js';

/** Columns that decide when a schedule fires. */
const TIMING_COLUMNS = [
  'kind',
  'expr',
  'timezone',
  'dst_gap',
  'every_ms',
  'fire_at_unix_ms',
  'starts_at_unix_ms',
  'ends_at_unix_ms',
] as const;

/**
 * No occurrence is lost and none is doubled: whenever a cursor moves, the same transaction journals exactly the
 * occurrences that it passes over, each as a run, as part of one missed run, or as the fire that is queued. A cursor
 * moves in no other way but from one occurrence to the next, or as a change by an operator says.
 */
export const occurrencesAreAccountedFor: Check = ({ histories }: Evidence) =>
  histories.flatMap((history) => history.schedule.flatMap((change) => faultsOf(history, change)));

/** Nothing fires before its time. */
export const nothingIsEarly: Check = ({ histories }) =>
  histories
    .flatMap(({ runs }) => runs)
    .flatMap(({ operation, new: run }) =>
      operation === 'insert' &&
      run !== null &&
      run.origin === 'schedule' &&
      run.claimed_at_unix_ms < run.scheduled_at_unix_ms
        ? [`${named(run)} was claimed at ${shown(run.claimed_at_unix_ms)}, before it was due.`]
        : [],
    );

function faultsOf(history: History, change: ScheduleChange): string[] {
  const { old: before, new: after } = change;
  if (after === null) {
    return [];
  }
  if (after.parked_reason !== null) {
    return [`${after.name} was parked: ${after.parked_reason}`];
  }
  if (before === null) {
    return cursorFaults(
      after,
      after.is_enabled ? occurrenceOracle(after)(after.created_at_unix_ms) : undefined,
    );
  }
  return before.version === after.version
    ? claimFaults(history, change, before, after)
    : editFaults(history, change, before, after);
}

/** What a claim passes over. */
function claimFaults(
  history: History,
  change: ScheduleChange,
  before: ScheduleRow,
  after: ScheduleRow,
): string[] {
  const next = occurrenceOracle(before);
  let expected = before.next_fire_at_unix_ms ?? undefined;
  for (const { atUnixMs, count, name } of coveredBy(history, change)) {
    if (atUnixMs !== expected) {
      return [`${name} is journaled where the occurrence ${shown(expected)} of ${after.name} is due.`];
    }
    expected = skip(next, expected, count);
  }
  return cursorFaults(after, expected);
}

/** What a change by an operator, or the end of a pause, does to the cursor. */
function editFaults(
  history: History,
  change: ScheduleChange,
  before: ScheduleRow,
  after: ScheduleRow,
): string[] {
  const nowUnixMs = after.updated_at_unix_ms;
  const isRetimed = TIMING_COLUMNS.some((column) => before[column] !== after[column]);
  const kept = before.next_fire_at_unix_ms ?? undefined;
  const computed = occurrenceOracle(after)(nowUnixMs);
  const staysWithout = kept === undefined && !after.is_enabled;
  const expected = staysWithout ? undefined : isRetimed ? computed : (kept ?? computed);
  return [
    ...cursorFaults(after, expected),
    ...gapFaults(history, change, before, isRetimed ? nowUnixMs : -Infinity),
  ];
}

/** Of the old timing, what was due when the timing changed is journaled as one missed run; nothing else is. */
function gapFaults(
  history: History,
  change: ScheduleChange,
  before: ScheduleRow,
  untilUnixMs: number,
): string[] {
  const journaled = coveredBy(history, change);
  const firstUnixMs = before.next_fire_at_unix_ms;
  if (firstUnixMs === null || firstUnixMs > untilUnixMs) {
    return journaled.map(({ name }) => `${name} is journaled by a change that leaves nothing behind.`);
  }
  const next = occurrenceOracle(before);
  let due = 1;
  for (let at = next(firstUnixMs); at !== undefined && at <= untilUnixMs; at = next(at)) {
    due += 1;
  }
  const [missed, ...others] = journaled;
  const isRight =
    missed?.atUnixMs === firstUnixMs && missed.count === due && missed.isMissed && others.length === 0;
  return isRight
    ? []
    : [
        `When the timing of ${before.name} changed, ${due} occurrences from ${shown(firstUnixMs)} on were due; journaled were: ${journaled.map(({ name, count }) => `${name} × ${count}`).join(', ') || 'none'}.`,
      ];
}

function cursorFaults(after: ScheduleRow, expected: number | undefined): string[] {
  return (after.next_fire_at_unix_ms ?? undefined) === expected
    ? []
    : [
        `The cursor of ${after.name} (version ${after.version}, ${after.id}) went to ${shown(after.next_fire_at_unix_ms)}; what is not accounted for begins at ${shown(expected)}.`,
      ];
}

interface Covered {
  readonly atUnixMs: number;
  readonly count: number;
  readonly isMissed: boolean;
  readonly name: string;
}

/** The regular occurrences that the transaction of a change journals or queues, in order. */
function coveredBy(history: History, change: ScheduleChange): Covered[] {
  const within = history.within(change);
  const requests = within.filter(({ subject }) => subject === 'crn_fire_request') as RequestChange[];
  const takenFromQueue = new Set(
    requests.flatMap(({ old }) => (old !== null && isRegular(old) ? [old.scheduled_at_unix_ms] : [])),
  );
  const runs = (within.filter(({ subject }) => subject === 'crn_run') as RunChange[])
    .flatMap(({ operation, new: run }) => (operation === 'insert' && run !== null ? [run] : []))
    .filter((run) => isRegular(run) && !takenFromQueue.has(run.scheduled_at_unix_ms));
  const queued = requests.flatMap(({ new: request }) =>
    request !== null && isRegular(request) ? [request] : [],
  );
  return [
    ...runs.map((run) => coveredByRun(run)),
    ...queued.map((request) => ({
      atUnixMs: request.scheduled_at_unix_ms,
      count: 1,
      isMissed: false,
      name: `the queued fire ${request.id}`,
    })),
  ].toSorted((left, right) => left.atUnixMs - right.atUnixMs);
}

function isRegular({ origin }: { readonly origin: string }): boolean {
  return origin === 'schedule';
}

function coveredByRun(run: RunRow): Covered {
  const isMissed = run.status === 'missed';
  return {
    atUnixMs: run.scheduled_at_unix_ms,
    count: isMissed ? run.missed_count : 1,
    isMissed,
    name: named(run),
  };
}

function skip(next: OccurrenceOracle, from: number, count: number): number | undefined {
  let at: number | undefined = from;
  for (let skipped = 0; skipped < count && at !== undefined; skipped += 1) {
    at = next(at);
  }
  return at;
}
