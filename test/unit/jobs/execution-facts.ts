import type { ExecutionFacts } from '../../../lib/jobs/index.js';

/** The facts of some run, with what a test cares about. */
export function executionFacts({
  signal = new AbortController().signal,
  ...facts
}: Partial<ExecutionFacts> & { readonly signal?: AbortSignal } = {}): ExecutionFacts {
  return {
    store: 'default',
    runId: 'run-1',
    scheduleId: 'schedule-1',
    scheduleName: 'nightly',
    jobName: 'daily-report',
    scheduledAtUnixMs: Date.UTC(2026, 0, 1, 2),
    origin: 'schedule',
    attempt: 1,
    fence: 1,
    idempotencyKey: 'key-1',
    params: undefined,
    abort: { signal, throwIfAborted: () => signal.throwIfAborted() },
    nodeId: 'node-1',
    ...facts,
  };
}
