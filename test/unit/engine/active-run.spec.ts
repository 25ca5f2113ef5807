import { jest } from '@jest/globals';
import { ActiveRun, RunAbortedError, type RunBounds } from '../../../lib/engine/execution/active-run.js';
import { RunInterceptorError } from '../../../lib/jobs/index.js';
import type { RunOutcome } from '../../../lib/storage/index.js';
import { claimedRun } from './claimed-run.js';
import { fakeTime, pass } from './fake-time.js';

const OPERATION_FAILED = new Error('the operation failed');

/** A run that has just begun, and the outcomes it has reported. */
function begin(bounds: Partial<RunBounds> = {}) {
  const outcomes: RunOutcome[] = [];
  const run = new ActiveRun(
    claimedRun(),
    2_000,
    { timeoutMs: 0, abortGraceMs: 5_000, ...bounds },
    (outcome) => outcomes.push(outcome),
  );
  return { run, outcomes };
}

describe('ActiveRun', () => {
  beforeEach(fakeTime);
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('succeeds when the handler returns', async () => {
    const { run, outcomes } = begin();
    await pass(250);
    run.settle({ kind: 'returned' });
    expect(run.isOver).toBe(true);
    expect(run.cancellation.signal.aborted).toBe(false);
    expect(outcomes).toEqual([
      {
        runId: run.run.id,
        scheduleId: run.run.scheduleId,
        status: 'succeeded',
        startedAtUnixMs: 2_000,
        finishedAtUnixMs: 2_250,
        durationMs: 250,
      },
    ]);
  });

  it('never starts before it was claimed, where the estimate of the store time lags behind', () => {
    const run = new ActiveRun(claimedRun(), 3, { timeoutMs: 0, abortGraceMs: 0 }, () => undefined);
    expect(run.startedAtUnixMs).toBe(1_500);
  });

  it('fails with what the handler threw', () => {
    const { run, outcomes } = begin();
    run.settle({ kind: 'threw', error: OPERATION_FAILED });
    expect(outcomes).toMatchObject([{ status: 'failed', error: 'the operation failed' }]);
  });

  describe('with a timeout', () => {
    it('aborts the signal at the deadline, and fails when the grace runs out', async () => {
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      await pass(999);
      expect(run.cancellation.signal.aborted).toBe(false);
      await pass(1);
      expect(run.cancellation.signal.reason).toEqual(new RunAbortedError('The run timed out after 1000 ms.'));
      expect(run.isOver).toBe(false);
      await pass(4_999);
      expect(outcomes).toEqual([]);
      await pass(1);
      expect(outcomes).toMatchObject([
        { status: 'failed', error: 'The run timed out after 1000 ms.', durationMs: 6_000 },
      ]);
    });

    it.each([
      ['returns', { kind: 'returned' }],
      ['throws', { kind: 'threw', error: OPERATION_FAILED }],
    ] as const)('fails as timed out when the handler %s within the grace', async (_, settlement) => {
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      await pass(1_500);
      run.settle(settlement);
      expect(outcomes).toMatchObject([
        { status: 'failed', error: 'The run timed out after 1000 ms.', durationMs: 1_500 },
      ]);
    });

    it('fails a handler that returned after the deadline although no timer could tell it', () => {
      const elapsed = jest.spyOn(performance, 'now').mockReturnValue(0);
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      elapsed.mockReturnValue(20_000);
      run.settle({ kind: 'returned' });
      elapsed.mockRestore();
      expect(outcomes).toMatchObject([{ status: 'failed', error: 'The run timed out after 1000 ms.' }]);
    });

    it('reports once, whatever the handler does after the grace', async () => {
      const { run, outcomes } = begin({ timeoutMs: 1_000, abortGraceMs: 0 });
      await pass(1_000);
      run.settle({ kind: 'returned' });
      run.cancel('shutdown');
      expect(outcomes).toHaveLength(1);
    });

    it('waits for a deadline beyond what a timer takes', async () => {
      const { run, outcomes } = begin({ timeoutMs: 2 ** 31 + 1_000 });
      await pass(2 ** 31 + 999);
      expect(run.cancellation.signal.aborted).toBe(false);
      run.settle({ kind: 'returned' });
      expect(outcomes).toMatchObject([{ status: 'succeeded' }]);
    });
  });

  describe('when somebody does not want it any more', () => {
    it.each(['operator', 'replaced'] as const)('is canceled, and says why: %s', async (cause) => {
      const { run, outcomes } = begin();
      run.cancel(cause);
      expect(run.cancellation.signal.aborted).toBe(true);
      run.settle({ kind: 'threw', error: new Error('aborted') });
      expect(outcomes).toMatchObject([{ status: 'canceled', reason: cause }]);
    });

    it('outranks a shutdown, before and after it', () => {
      for (const causes of [['shutdown', 'operator'] as const, ['operator', 'shutdown'] as const]) {
        const { run, outcomes } = begin();
        causes.forEach((cause) => run.cancel(cause));
        run.settle({ kind: 'threw', error: new Error('aborted') });
        expect(outcomes).toMatchObject([{ status: 'canceled', reason: 'operator' }]);
      }
    });

    it('has succeeded all the same when the handler returns', () => {
      const { run, outcomes } = begin();
      run.cancel('operator');
      run.settle({ kind: 'returned' });
      expect(outcomes).toMatchObject([{ status: 'succeeded' }]);
    });
  });

  describe('at shutdown', () => {
    it('aborts the signal, and is canceled when the grace runs out', async () => {
      const { run, outcomes } = begin();
      run.cancel('shutdown');
      expect(run.cancellation.signal.reason).toEqual(
        new RunAbortedError('The run was interrupted by the shutdown of its node.'),
      );
      await pass(4_999);
      expect(outcomes).toEqual([]);
      await pass(1);
      expect(outcomes).toMatchObject([
        { status: 'canceled', error: 'The run was interrupted by the shutdown of its node.' },
      ]);
    });

    it('is canceled when the handler throws', () => {
      const { run, outcomes } = begin();
      run.cancel('shutdown');
      run.settle({ kind: 'threw', error: OPERATION_FAILED });
      expect(outcomes).toMatchObject([{ status: 'canceled' }]);
    });

    it('succeeds when the handler completes all the same', () => {
      const { run, outcomes } = begin();
      run.cancel('shutdown');
      run.settle({ kind: 'returned' });
      expect(outcomes).toMatchObject([{ status: 'succeeded' }]);
    });

    it('does not wait without a grace', () => {
      const { run, outcomes } = begin({ abortGraceMs: 0 });
      run.cancel('shutdown');
      expect(outcomes).toMatchObject([{ status: 'canceled' }]);
    });

    it('fails as timed out, which outranks it, and has no more grace than either', async () => {
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      await pass(500);
      run.cancel('shutdown');
      await pass(4_999);
      expect(outcomes).toEqual([]);
      await pass(1);
      expect(outcomes).toMatchObject([{ status: 'failed', error: 'The run timed out after 1000 ms.' }]);
    });

    it('keeps the grace of a timeout that came first', async () => {
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      await pass(4_000);
      run.cancel('shutdown');
      run.cancel('shutdown');
      await pass(2_000);
      expect(outcomes).toMatchObject([{ status: 'failed', error: 'The run timed out after 1000 ms.' }]);
    });
  });

  it('has no outcome once it was taken over', async () => {
    const { run, outcomes } = begin({ timeoutMs: 1_000 });
    run.onTakenOver();
    expect(run.cancellation.signal.reason).toBeInstanceOf(RunAbortedError);
    expect(run.isOver).toBe(true);
    run.onTakenOver();
    run.cancel('shutdown');
    await pass(10_000);
    run.settle({ kind: 'returned' });
    expect(outcomes).toEqual([]);
  });

  describe('of a transactional handler', () => {
    it('is over without an outcome to journal once it is committed, whatever time it took', async () => {
      const { run, outcomes } = begin({ timeoutMs: 1_000 });
      await pass(999);
      const outcome = run.beginCommit();
      expect(outcome).toMatchObject({ runId: run.run.id, status: 'succeeded', durationMs: 999 });
      expect(run.isBeingCommitted).toBe(true);
      await pass(1_000);
      expect(run.cancellation.signal.aborted).toBe(true);
      run.settle({ kind: 'committed', outcome });
      expect([run.isOver, run.isBeingCommitted, run.over.aborted]).toEqual([true, false, true]);
      await pass(10_000);
      expect(outcomes).toEqual([]);
    });

    it('fails as what it threw where the commit failed', () => {
      const { run, outcomes } = begin();
      run.beginCommit();
      run.settle({ kind: 'threw', error: OPERATION_FAILED });
      expect(outcomes).toMatchObject([{ status: 'failed', reason: 'handler_error' }]);
      expect(run.isBeingCommitted).toBe(false);
    });

    it('must not commit after its deadline', async () => {
      const { run } = begin({ timeoutMs: 1_000 });
      await pass(1_000);
      expect(() => run.beginCommit()).toThrow(new RunAbortedError('The run timed out after 1000 ms.'));
      run.settle({ kind: 'threw', error: run.cancellation.signal.reason });
    });

    it('must not commit when it was taken over, nor when it is over', async () => {
      const { run } = begin();
      run.onTakenOver();
      expect(() => run.beginCommit()).toThrow(RunAbortedError);
      const canceled = begin({ abortGraceMs: 100 }).run;
      canceled.cancel('operator');
      await pass(100);
      expect(() => canceled.beginCommit()).toThrow(RunAbortedError);
    });

    it('may commit within the grace of a cancellation', () => {
      const { run } = begin();
      run.cancel('operator');
      expect(run.over.aborted).toBe(false);
      run.settle({ kind: 'committed', outcome: run.beginCommit() });
    });
  });

  it('says that it is over when the grace runs out, not when its signal aborts', async () => {
    const { run } = begin({ timeoutMs: 1_000, abortGraceMs: 500 });
    await pass(1_499);
    expect([run.cancellation.signal.aborted, run.over.aborted]).toEqual([true, false]);
    await pass(1);
    expect(run.over.aborted).toBe(true);
  });

  it('fails by an interceptor for that reason, and says what it threw', () => {
    const { run, outcomes } = begin();
    run.settle({
      kind: 'threw',
      error: new RunInterceptorError('The run interceptor Tenants failed:', { cause: OPERATION_FAILED }),
    });
    expect(outcomes).toMatchObject([
      {
        status: 'failed',
        reason: 'interceptor_error',
        error: 'The run interceptor Tenants failed: the operation failed',
      },
    ]);
  });
});
