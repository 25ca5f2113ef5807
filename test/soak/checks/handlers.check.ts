import type { DeedRecord } from '../node/protocol.js';
import { groupedBy, named, type Check, type Evidence, type RunRow } from './evidence.js';
import { policyOf } from './lifecycle.check.js';

/** A handler is invoked once for a run, on its node, and is told what the journal says. */
export const handlersAgreeWithTheJournal: Check = ({ runs, deeds }) => {
  const byId = new Map(runs.map((run) => [run.id, run]));
  return [...groupedBy(deeds, ({ runId }) => runId)].flatMap(([runId, ofRun]) => {
    const run = byId.get(runId);
    if (run === undefined) {
      return [`A handler was invoked for the run ${runId}, which the journal does not have.`];
    }
    const starts = ofRun.filter(({ deed }) => deed === 'started').length;
    const isToldRight = ofRun.every(
      (deed) =>
        deed.nodeId === run.node_id &&
        deed.scheduledAtUnixMs === run.scheduled_at_unix_ms &&
        deed.attempt === run.attempt &&
        deed.fence === run.fence &&
        deed.idempotencyKey === run.idempotency_key,
    );
    if (starts !== 1) {
      return [`${named(run)} was started ${starts} times.`];
    }
    return isToldRight ? [] : [`The handler of ${named(run)} was told otherwise than the journal.`];
  });
};

/** The journal says of each run what its handler did. */
export const outcomesAreTrue: Check = ({ runs, deeds }) => {
  const deedsOf = groupedBy(deeds, ({ runId }) => runId);
  return runs.flatMap((run) => {
    const did = new Set((deedsOf.get(run.id) ?? []).map(({ deed }) => deed));
    const contradiction = contradictionOf(run, did);
    return contradiction === undefined
      ? []
      : [`${named(run)}, ${run.reason ?? 'no reason'}: ${contradiction}`];
  });
};

/** What a transactional handler wrote is there if, and only if, its run succeeded. */
export const effectsAreThereOnce: Check = ({ runs, effects }) =>
  runs
    .filter(({ job_name: jobName, node_id: nodeId }) => jobName === 'transactional' && nodeId !== null)
    .flatMap((run) => {
      const expected = run.status === 'succeeded' ? 2 : 0;
      const count = effects.get(run.id) ?? 0;
      return count === expected ? [] : [`${named(run)} left ${count} rows instead of ${expected}.`];
    });

/**
 * Two handlers of a schedule that does not allow it are at work at once only where the journal had given the first one
 * up: its node was dead to the others, or its time was over.
 */
export const handlersDoNotOverlap: Check = (evidence) => {
  const deedsOf = groupedBy(evidence.deeds, ({ runId }) => runId);
  return evidence.histories.flatMap((history) => {
    const earlier: { readonly run: RunRow; readonly endedAtMs: number }[] = [];
    const finalOf = new Map(
      history.runs.flatMap(({ new: run }) => (run === null ? [] : [[run.id, run] as const])),
    );
    return history.runs.flatMap((claim) => {
      const { operation, new: claimed } = claim;
      if (operation !== 'insert' || claimed?.status !== 'running') {
        return [];
      }
      const deeds = deedsOf.get(claimed.id) ?? [];
      const run = finalOf.get(claimed.id) ?? claimed;
      const startedAtMs = timeOf(deeds, 'started');
      if (startedAtMs === undefined) {
        return [];
      }
      const overlapping = earlier.filter((other) => other.endedAtMs > startedAtMs && !isGivenUp(other.run));
      earlier.push({ run, endedAtMs: timeOf(deeds, 'returned') ?? timeOf(deeds, 'threw') ?? Infinity });
      return policyOf(history, claim) === 'allow'
        ? []
        : overlapping.map((other) => `${named(run)} was executed while ${named(other.run)} was.`);
    });
  });
};

/** What events say of a run is how it ended. */
export const eventsAgreeWithTheJournal: Check = ({ runs, events }) => {
  const statusOf = new Map(runs.map((run) => [run.id, run.status]));
  return events
    .filter(({ runId, name }) => name !== `cron.run.${statusOf.get(runId)}`)
    .map(
      ({ runId, name, nodeId }) => `${nodeId} emitted ${name} for ${runId}, which is ${statusOf.get(runId)}.`,
    );
};

type Deed = DeedRecord['deed'];

function contradictionOf(run: RunRow, did: ReadonlySet<Deed>): string | undefined {
  const isTransactional = run.job_name === 'transactional';
  const isTakenOver = run.error?.includes('stopped heartbeating') === true;
  switch (run.status) {
    case 'succeeded':
      return did.has('returned') ? undefined : 'its handler did not return.';
    case 'failed':
      if (isTransactional) {
        return undefined;
      }
      if (!did.has('started')) {
        return 'its handler was never invoked.';
      }
      return run.reason === 'timeout' || did.has('threw') ? undefined : 'its handler did not throw.';
    case 'canceled':
      return did.has('started') || isTakenOver || isTransactional
        ? undefined
        : 'its handler was never invoked.';
    case 'missed':
    case 'skipped':
      return did.size === 0 ? undefined : 'its handler was invoked.';
    default:
      return undefined;
  }
}

function isGivenUp({ status, reason }: RunRow): boolean {
  return status === 'abandoned' || status === 'canceled' || (status === 'failed' && reason === 'timeout');
}

function timeOf(deeds: readonly DeedRecord[], deed: Deed): number | undefined {
  return deeds.find((record) => record.deed === deed)?.atMs;
}

/** How often a handler went on although its run had been given up. */
export function countLateHandlers({ runs, deeds }: Evidence): number {
  const abandonedIds = new Set(runs.filter(({ status }) => status === 'abandoned').map(({ id }) => id));
  return new Set(
    deeds
      .filter(({ deed, runId }) => deed !== 'started' && abandonedIds.has(runId))
      .map(({ runId }) => runId),
  ).size;
}
