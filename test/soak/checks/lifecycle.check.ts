import {
  groupedBy,
  named,
  type Check,
  type Evidence,
  type History,
  type RunChange,
  type RunRow,
} from './evidence.js';
import { insertedRequests } from './requests.check.js';

/** A run ends once, and never changes again; in the end none is running and none has gone. */
export const runsEndOnce: Check = ({ histories, runs }) => [
  ...histories
    .flatMap((history) => history.runs)
    .flatMap(({ operation, old, new: run }) => {
      if (operation === 'insert') {
        return [];
      }
      if (run === null) {
        return [`${old === null ? 'A run' : named(old)} was deleted.`];
      }
      return old?.status === 'running' && run.status !== 'running'
        ? []
        : [`${named(run)} was ${old?.status} before.`];
    }),
  ...runs.filter(({ status }) => status === 'running').map((run) => `${named(run)} is still running.`),
];

/** What ended without success is repeated if, and only if, its schedule says so, and not without end. */
export const repetitionsAreOwed: Check = (evidence) =>
  evidence.histories.flatMap((history) =>
    history.runs.flatMap((change) => {
      const { operation, new: run } = change;
      if (operation !== 'update' || run === null) {
        return [];
      }
      const isRequested = insertedRequests(history.within(change)).some(
        (request) => request.repeats_run_id === run.id,
      );
      const isOwed = isRepetitionOwed(evidence, history, change, run);
      return isOwed === isRequested
        ? []
        : [`${named(run)} (${run.reason}, attempt ${run.attempt}) is ${isOwed ? 'not ' : ''}repeated.`];
    }),
  );

/** A repetition is the same fire again: its logical time, its key, and one attempt more. */
export const repetitionsAreTheSame: Check = ({ runs, maxRecoveries }) => {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return runs.flatMap((run) => {
    const first = run.repeats_run_id === null ? undefined : byId.get(run.repeats_run_id);
    if (run.repeats_run_id === null) {
      return run.attempt === 1 ? [] : [`${named(run)} is attempt ${run.attempt} of nothing.`];
    }
    const isSame =
      first !== undefined &&
      run.scheduled_at_unix_ms === first.scheduled_at_unix_ms &&
      run.idempotency_key === first.idempotency_key &&
      run.attempt === first.attempt + 1 &&
      run.recoveries <= maxRecoveries;
    return isSame ? [] : [`${named(run)} does not repeat ${first === undefined ? 'any run' : named(first)}.`];
  });
};

/** Under every policy but `allow` no run is claimed while another one of the schedule is running. */
export const policiesAreKept: Check = ({ histories }) =>
  histories.flatMap((history) => {
    const running = new Map<string, RunRow>();
    return history.runs.flatMap((change) => {
      const { operation, new: run } = change;
      if (run === null) {
        return [];
      }
      if (operation === 'update') {
        running.delete(run.id);
        return [];
      }
      if (run.status !== 'running') {
        return [];
      }
      const others = [...running.values()];
      running.set(run.id, run);
      return policyOf(history, change) === 'allow'
        ? []
        : others.map((other) => `${named(run)} was claimed while ${named(other)} was running.`);
    });
  });

/** The fence of a run is larger than that of every run of the schedule that was claimed before. */
export const fencesGrow: Check = ({ histories }) =>
  histories.flatMap((history) => {
    let largest = -Infinity;
    const claims = groupedBy(
      history.runs.filter(({ operation }) => operation === 'insert'),
      ({ transaction }) => transaction,
    );
    return [...claims.values()].flatMap((together) => {
      const runs = together.flatMap(({ new: run }) => (run?.status === 'running' ? [run] : []));
      const behind = runs.filter(({ fence }) => fence <= largest);
      largest = Math.max(largest, ...runs.map(({ fence }) => fence));
      return behind.map(
        (run) => `${named(run)} has the fence ${run.fence}, which is not larger than before.`,
      );
    });
  });

/** While a schedule is paused nothing of it is claimed but retries and what was asked for even so. */
export const pausesAreKept: Check = ({ histories }) =>
  histories.flatMap((history) =>
    history.runs.flatMap((change) => {
      const { operation, new: run } = change;
      if (operation !== 'insert' || run?.status !== 'running' || run.origin === 'retry') {
        return [];
      }
      const isEvenSo = history
        .within(change)
        .some(
          ({ subject, old }) =>
            subject === 'crn_fire_request' &&
            old?.idempotency_key === run.idempotency_key &&
            old.fires_while_paused,
        );
      return isEvenSo || history.scheduleBefore(change)?.is_enabled !== false
        ? []
        : [`${named(run)} was claimed while its schedule was paused.`];
    }),
  );

/** While a job is held nothing of it is claimed: by no claim that began after the hold, and saw no release. */
export const holdsAreKept: Check = ({ histories, holds, acknowledgedHolds }) =>
  acknowledgedHolds.flatMap(({ actor, acknowledgedAtUnixMs }) => {
    const held = holds.find(({ new: hold }) => hold?.held_by === actor);
    const jobName = held?.new?.job_name;
    const released = holds.find(
      ({ id, old: hold }) => hold?.job_name === jobName && id > (held?.id ?? Infinity),
    );
    return histories
      .flatMap(({ runs }) => runs)
      .flatMap(({ id, operation, new: run }) =>
        operation === 'insert' &&
        run?.status === 'running' &&
        run.job_name === jobName &&
        run.claimed_at_unix_ms > acknowledgedAtUnixMs &&
        id < (released?.id ?? Infinity)
          ? [`${named(run)} was claimed while its job was held.`]
          : [],
      );
  });

/** Nobody is declared dead who gave a sign of life within `abandonedAfter`. */
export function onlyTheSilentAreAbandoned(abandonedAfterMs: number): Check {
  return ({ runs }) =>
    runs
      .filter(
        (run) =>
          run.status === 'abandoned' &&
          (run.finished_at_unix_ms ?? 0) - (run.heartbeat_at_unix_ms ?? 0) <= abandonedAfterMs,
      )
      .map((run) => `${named(run)} was abandoned although its heartbeat was young.`);
}

function isRepetitionOwed(
  { maxRecoveries }: Evidence,
  history: History,
  change: RunChange,
  run: RunRow,
): boolean {
  const schedule = history.scheduleBefore(change);
  if (schedule === undefined) {
    return false;
  }
  switch (run.status) {
    case 'abandoned':
      return schedule.recover && run.recoveries < maxRecoveries;
    case 'canceled':
      return schedule.recover && run.reason === 'shutdown';
    case 'failed': {
      const claim = history.runs.find(
        ({ operation, new: claimed }) => operation === 'insert' && claimed?.id === run.id,
      );
      const retry = claim && history.scheduleBefore(claim)?.retry;
      return run.attempt < (retry?.maxAttempts ?? 1);
    }
    default:
      return false;
  }
}

export function policyOf(history: History, claim: RunChange): string | undefined {
  return history.scheduleBefore(claim)?.concurrency_policy;
}
