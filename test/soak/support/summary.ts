import { countLateHandlers } from '../checks/handlers.check.js';
import { countOperations } from '../checks/operations.check.js';
import type { Evidence } from '../checks/evidence.js';
import type { FaultName } from './faults.js';
import { quantile, type Trend } from './memory.js';
import type { SoakNode } from './soak-node.js';

/** What a soak saw. */
export interface Seen {
  readonly evidence: Evidence;
  readonly faults: ReadonlyMap<FaultName, number>;
  readonly nodes: readonly SoakNode[];
  readonly trends: readonly Trend[];
}

const SHOWN_REASONS = 5;

/** Tells what a soak saw, in lines. */
export function summarize({ evidence, faults, nodes, trends }: Seen): string {
  const { runs, histories } = evidence;
  const repeated = (origin: string) => runs.filter((run) => run.origin === origin).length;
  const missed = runs.reduce((sum, run) => sum + run.missed_count, 0);
  const lateness = runs
    .filter((run) => run.origin === 'schedule' && run.node_id !== null)
    .map((run) => run.claimed_at_unix_ms - run.scheduled_at_unix_ms);
  const suicides = nodes.reduce((sum, node) => sum + node.suicides, 0);
  const bootFailures = nodes.reduce((sum, node) => sum + node.bootFailures, 0);
  const bootTimesMs = nodes.flatMap((node) => node.bootTimesMs);
  const operations = countOperations(evidence);
  return [
    `schedules: ${histories.length}, of every kind`,
    'fires by origin and status:',
    ...table(runs.map(({ origin, status }) => [origin, status] as const)),
    `occurrences missed, and counted: ${missed}`,
    `retries: ${repeated('retry')}, recoveries: ${repeated('recovery')}, handlers that went on after they were given up: ${countLateHandlers(evidence)}`,
    `faults: ${[...faults].map(([name, count]) => `${name} ${count}`).join(', ')}`,
    `starts of processes: ${bootTimesMs.length}, in ${Math.round(quantile(bootTimesMs, 0.5))} ms (median), at most ${Math.round(Math.max(...bootTimesMs))} ms`,
    `processes killed by their handlers: ${suicides}; boots that failed for want of the database: ${bootFailures}`,
    `changes by operators: ${operations.done} done, ${operations.refused} refused, ${operations.unknown} unanswered`,
    ...unanswered(evidence),
    `lateness in ms: p50 ${quantile(lateness, 0.5)}, p99 ${quantile(lateness, 0.99)}`,
    ...trends.map(
      ({ node, measure, secondQuarter, lastQuarter, isFlat }) =>
        `${node}, ${measure}: ${secondQuarter.toFixed(1)} in the second quarter, ${lastQuarter.toFixed(1)} in the last${isFlat ? '' : ': it grows'}`,
    ),
  ].join('\n');
}

/** Why changes were not answered, the most frequent reasons first. */
function unanswered({ operations }: Evidence): string[] {
  const counts = new Map<string, number>();
  for (const { outcome, result } of operations) {
    if (outcome === 'unknown') {
      counts.set(String(result), (counts.get(String(result)) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([, left], [, right]) => right - left)
    .slice(0, SHOWN_REASONS)
    .map(([reason, count]) => `  ${count} × ${reason}`);
}

function table(pairs: readonly (readonly [string, string])[]): string[] {
  const counts = new Map<string, Map<string, number>>();
  for (const [origin, status] of pairs) {
    const ofOrigin = counts.get(origin) ?? new Map<string, number>();
    ofOrigin.set(status, (ofOrigin.get(status) ?? 0) + 1);
    counts.set(origin, ofOrigin);
  }
  return [...counts].map(
    ([origin, statuses]) =>
      `  ${origin}: ${[...statuses].map(([status, count]) => `${status} ${count}`).join(', ')}`,
  );
}
