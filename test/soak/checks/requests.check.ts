import {
  named,
  type Check,
  type History,
  type RequestChange,
  type RunChange,
  type RunRow,
} from './evidence.js';

/** A request becomes exactly one run, in the transaction that removes it, unless its schedule is deleted with it. */
export const requestsBecomeRuns: Check = ({ histories }) =>
  histories.flatMap((history) =>
    history.requests.flatMap((change) => {
      const { old: request } = change;
      if (request === null) {
        return [];
      }
      const within = history.within(change);
      const isDeletion = within.some(
        ({ subject, operation }) => subject === 'crn_schedule' && operation === 'delete',
      );
      const runs = insertedRuns(within).filter(
        (run) =>
          run.idempotency_key === request.idempotency_key &&
          run.origin === request.origin &&
          // An occurrence and its backfill have one key, and may each be retried.
          run.repeats_run_id === request.repeats_run_id,
      );
      return isDeletion || runs.length === 1
        ? []
        : [
            `A ${request.origin} request of ${history.name} (${request.id}) vanished, and ${runs.length} runs came of it.`,
          ];
    }),
  );

/** No run comes from nowhere: from a cursor that moves, a request that is removed, or a range that is filled. */
export const runsHaveCauses: Check = ({ histories }) =>
  histories.flatMap((history) =>
    history.runs.flatMap((change) => {
      const { operation, new: run } = change;
      if (operation !== 'insert' || run === null || run.origin === 'backfill') {
        return [];
      }
      const within = history.within(change);
      const isRequested = within.some(
        ({ subject, old }) => subject === 'crn_fire_request' && old?.idempotency_key === run.idempotency_key,
      );
      const isRegular =
        run.origin === 'schedule' &&
        within.some(({ subject, operation }) => subject === 'crn_schedule' && operation === 'update');
      return isRequested || isRegular ? [] : [`${named(run)} was journaled without a cause.`];
    }),
  );

/** Of one occurrence there is one run of origin `schedule`; one run is repeated once; one key is one fire. */
export const runsAreUnique: Check = ({ runs, histories }) => [
  ...repeatedAmong(
    runs.filter(({ origin }) => origin === 'schedule'),
    (run) => [run.schedule_id, run.scheduled_at_unix_ms].join(' '),
  ),
  ...repeatedAmong(
    runs.filter((run) => run.repeats_run_id !== null),
    (run) => run.repeats_run_id,
  ),
  ...repeatedAmong(
    runs.filter((run) => run.request_key !== null),
    (run) => [run.schedule_id, run.request_key].join(' '),
  ),
  ...histories.flatMap((history) => requestedTwice(history)),
];

/** What waits in the end was asked for after everything had settled. */
export const nothingIsLeftOver: Check = ({ pendingRequests, backfills, settledAtUnixMs }) => [
  ...pendingRequests
    .filter((request) => request.created_at_unix_ms < settledAtUnixMs)
    .map(
      (request) =>
        `A ${request.origin} request of the schedule ${request.schedule_id} was never claimed (${request.id}).`,
    ),
  ...backfills
    .filter(({ status }) => status === 'running')
    .map((backfill) => `A backfill of the schedule ${backfill.schedule_id} never ended.`),
];

/** Every backfill knows how many runs came of it, and one that is complete has fired all. */
export const backfillsAreCounted: Check = ({ histories, backfills }) =>
  histories.flatMap((history) => {
    const fired = backfills
      .filter((backfill) => backfill.schedule_id === history.scheduleId)
      .reduce((sum, backfill) => sum + backfill.fired, 0);
    const runs = history.runs.filter(
      ({ operation, new: run }) => operation === 'insert' && run?.origin === 'backfill',
    ).length;
    return fired === runs
      ? []
      : [`Backfills of ${history.name} count ${fired} fires, and have ${runs} runs.`];
  });

export function insertedRuns(changes: History['changes']): RunRow[] {
  return (changes.filter(({ subject }) => subject === 'crn_run') as RunChange[]).flatMap(
    ({ operation, new: run }) => (operation === 'insert' && run !== null ? [run] : []),
  );
}

export function insertedRequests(changes: History['changes']): NonNullable<RequestChange['new']>[] {
  return (changes.filter(({ subject }) => subject === 'crn_fire_request') as RequestChange[]).flatMap(
    ({ new: request }) => (request === null ? [] : [request]),
  );
}

function requestedTwice(history: History): string[] {
  const keys = insertedRequests(history.changes).flatMap(({ request_key: key }) =>
    key === null ? [] : [key],
  );
  return keys
    .filter((key, index) => keys.indexOf(key) !== index)
    .map((key) => `${history.name} was asked for ${JSON.stringify(key)} more than once.`);
}

function repeatedAmong(runs: readonly RunRow[], keyOf: (run: RunRow) => string | null): string[] {
  const first = new Map<string | null, RunRow>();
  return runs.flatMap((run) => {
    const other = first.get(keyOf(run));
    first.set(keyOf(run), other ?? run);
    return other === undefined ? [] : [`${named(run)} doubles ${named(other)}.`];
  });
}
