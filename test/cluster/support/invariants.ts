import type { Schedule } from '../../../lib/index.js';
import { occurrencesOfSchedule } from '../../../lib/schedules/index.js';
import type {
  DeedRecord,
  EventRecord,
  FireRequestRecord,
  Journal,
  JournaledRun,
  TransitionRecord,
} from './journal.js';

/** Everything that is left when a scenario is over and its nodes have stopped. */
interface Evidence {
  readonly schedules: readonly Schedule[];
  readonly runs: readonly JournaledRun[];
  readonly deeds: readonly DeedRecord[];
  readonly events: readonly EventRecord[];
  readonly requests: readonly FireRequestRecord[];
  readonly transitions: readonly TransitionRecord[];
  /** When the timing of a schedule was changed last, by its id. */
  readonly retimings: ReadonlyMap<string, number>;
}

/** A sentence for each thing that contradicts what the store guarantees. */
type Invariant = (evidence: Evidence) => string[];

const INVARIANTS: readonly Invariant[] = [
  everyRunIsTerminal,
  whatIsOverStaysAsItEnded,
  oneRunPerOccurrence,
  everyOccurrenceIsAccountedFor,
  everyClaimedRunStartedOrWasGivenUp,
  everyIncompleteRunIsRecovered,
  nothingIsRepeatedThatSucceeded,
  onlyReturnedHandlersSucceed,
  everyDeedHasItsRun,
  noTwoHandlersAtOnce,
  everyEventAgreesWithTheJournal,
];

/**
 * Checks the journal, the records of the handlers and the events against what the store guarantees whatever happens to
 * its nodes.
 *
 * @throws Error with a sentence for each contradiction.
 */
export async function checkInvariants(journal: Journal): Promise<void> {
  const evidence: Evidence = {
    schedules: await journal.schedules(),
    runs: await journal.runs(),
    deeds: await journal.deeds(),
    events: await journal.events(),
    requests: await journal.fireRequests(),
    transitions: await journal.transitions(),
    retimings: await journal.retimings(),
  };
  const contradictions = INVARIANTS.flatMap((invariant) => invariant(evidence));
  if (contradictions.length > 0) {
    throw new Error(`The invariants do not hold:\n${contradictions.join('\n')}`);
  }
}

function everyRunIsTerminal({ runs }: Evidence): string[] {
  return runs.filter((run) => run.status === 'running').map((run) => `${named(run)} is still running.`);
}

/** No success after `abandoned`, nor anything else after an end. */
function whatIsOverStaysAsItEnded({ transitions }: Evidence): string[] {
  return transitions
    .filter(({ before }) => before !== 'running')
    .map(({ runId, before, after }) => `The run ${runId} was ${before} and is ${after}.`);
}

function oneRunPerOccurrence({ runs }: Evidence): string[] {
  const regular = runs.filter((run) => run.origin === 'schedule');
  return [...groupedBy(regular, (run) => `${run.scheduleId} ${run.scheduledAtUnixMs}`).values()]
    .filter((same) => same.length > 1)
    .map((same) => `One occurrence has ${same.length} runs: ${same.map(named).join(', ')}.`);
}

/**
 * From the schedule's creation, or from the last change of its timing, up to its cursor, every occurrence has its run or
 * is covered by exactly one missed run: none is lost, none is counted twice, and the cursor is never ahead of the journal.
 */
function everyOccurrenceIsAccountedFor({ schedules, runs, retimings }: Evidence): string[] {
  const bySchedule = groupedBy(
    runs.filter((run) => run.origin === 'schedule'),
    (run) => run.scheduleId,
  );
  return schedules
    .filter((schedule) => schedule.state !== 'parked')
    .flatMap((schedule) => {
      const sinceUnixMs = retimings.get(schedule.id) ?? schedule.createdAtUnixMs;
      const ofTiming = (bySchedule.get(schedule.id) ?? []).filter(
        (run) => run.scheduledAtUnixMs > sinceUnixMs || !retimings.has(schedule.id),
      );
      return gapsOf(schedule, ofTiming, sinceUnixMs);
    });
}

function gapsOf(schedule: Schedule, runs: readonly JournaledRun[], sinceUnixMs: number): string[] {
  const occurrences = occurrencesOfSchedule(schedule);
  let expected = occurrences.next(sinceUnixMs);
  for (const run of runs.toSorted((left, right) => left.scheduledAtUnixMs - right.scheduledAtUnixMs)) {
    if (run.scheduledAtUnixMs !== expected) {
      return [`${named(run)} comes where the occurrence ${shown(expected)} is expected.`];
    }
    const covered = run.status === 'missed' ? run.missedCount : 1;
    for (let count = 0; count < covered && expected !== undefined; count += 1) {
      expected = occurrences.next(expected);
    }
  }
  return expected === schedule.nextFireAtUnixMs
    ? []
    : [
        `The journal of ${schedule.name} goes up to ${shown(expected)}, its cursor is at ${shown(schedule.nextFireAtUnixMs)}.`,
      ];
}

function everyClaimedRunStartedOrWasGivenUp({ runs, deeds }: Evidence): string[] {
  const startedIds = new Set(deeds.filter(({ deed }) => deed === 'started').map(({ runId }) => runId));
  return runs
    .filter((run) => ['succeeded', 'failed'].includes(run.status) && run.nodeId !== undefined)
    .filter((run) => !startedIds.has(run.id) && !run.error?.includes('was parked'))
    .map((run) => `${named(run)} was never started.`);
}

function everyIncompleteRunIsRecovered({ schedules, runs, requests }: Evidence): string[] {
  const recoverableIds = new Set(schedules.filter(({ recover }) => recover).map(({ id }) => id));
  const repeatedIds = new Set([...runs, ...requests].map(({ repeatsRunId }) => repeatsRunId));
  const incomplete = runs.filter((run) => run.status === 'abandoned' || run.status === 'canceled');
  return incomplete.flatMap((run) => {
    if (repeatedIds.has(run.id)) {
      return recoverableIds.has(run.scheduleId) ? [] : [`${named(run)} is repeated without \`recover\`.`];
    }
    // What used up its recoveries is the business of the one scenario about it.
    return recoverableIds.has(run.scheduleId) && run.recoveries === 0
      ? [`${named(run)} is not repeated.`]
      : [];
  });
}

function nothingIsRepeatedThatSucceeded({ runs, requests }: Evidence): string[] {
  const repeatedIds = new Set([...runs, ...requests].map(({ repeatsRunId }) => repeatsRunId));
  return runs
    .filter((run) => run.status === 'succeeded' && repeatedIds.has(run.id))
    .map((run) => `${named(run)} succeeded and is repeated.`);
}

function onlyReturnedHandlersSucceed({ runs, deeds }: Evidence): string[] {
  const returnedBy = new Map(
    deeds.filter(({ deed }) => deed === 'returned').map(({ runId, nodeId }) => [runId, nodeId]),
  );
  return runs
    .filter((run) => run.status === 'succeeded' && returnedBy.get(run.id) !== run.nodeId)
    .map((run) => `${named(run)} succeeded, but its handler did not return.`);
}

function everyDeedHasItsRun({ runs, deeds }: Evidence): string[] {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const starts = groupedBy(
    deeds.filter(({ deed }) => deed === 'started'),
    ({ runId }) => runId,
  );
  return [
    ...deeds.flatMap((deed) => {
      const run = byId.get(deed.runId);
      if (run === undefined) {
        return [`A handler of ${deed.scheduleName} ${deed.deed} for a run that the journal does not have.`];
      }
      const agrees =
        run.nodeId === deed.nodeId &&
        run.scheduledAtUnixMs === deed.scheduledAtUnixMs &&
        run.attempt === deed.attempt &&
        run.idempotencyKey === deed.idempotencyKey;
      return agrees ? [] : [`A handler was told otherwise than the journal: ${named(run)}.`];
    }),
    ...[...starts.values()]
      .filter((ofRun) => ofRun.length > 1)
      .map((ofRun) => `A run of ${ofRun[0]?.scheduleName} was started ${ofRun.length} times.`),
  ];
}

/** Under `forbid`, unless the journal had given the first one up: its node was dead to the others, or its time over. */
function noTwoHandlersAtOnce({ schedules, runs, deeds }: Evidence): string[] {
  const exclusiveIds = new Set(
    schedules.filter(({ concurrencyPolicy }) => concurrencyPolicy === 'forbid').map(({ id }) => id),
  );
  const statusOf = new Map(runs.map((run) => [run.id, run.status]));
  const active = new Map<string, DeedRecord>();
  return deeds
    .filter(({ scheduleId }) => exclusiveIds.has(scheduleId))
    .flatMap((deed) => {
      const other = active.get(deed.scheduleId);
      if (deed.deed === 'started') {
        active.set(deed.scheduleId, deed);
        return other === undefined || isGivenUp(statusOf.get(other.runId))
          ? []
          : [
              `${deed.scheduleName} was executed on ${deed.node} while ${other.node} was executing it (${other.runId}).`,
            ];
      }
      if (deed.deed !== 'aborted' && other?.runId === deed.runId) {
        active.delete(deed.scheduleId);
      }
      return [];
    });
}

function isGivenUp(status: JournaledRun['status'] | undefined): boolean {
  return status === 'abandoned' || status === 'canceled' || status === 'failed';
}

function everyEventAgreesWithTheJournal({ runs, events }: Evidence): string[] {
  const statusOf = new Map(runs.map((run) => [run.id, run.status]));
  return events
    .filter(({ runId, name }) => name !== `cron.run.${statusOf.get(runId)}`)
    .map(({ runId, name, node }) => `${node} emitted ${name} for a run that is ${statusOf.get(runId)}.`);
}

function groupedBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) {
      groups.set(keyOf(item), [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

function named(run: JournaledRun): string {
  return `${run.scheduleName} of ${shown(run.scheduledAtUnixMs)} (${run.origin}, ${run.status}, ${run.id})`;
}

function shown(unixMs: number | undefined): string {
  return unixMs === undefined ? 'none' : new Date(unixMs).toISOString();
}
