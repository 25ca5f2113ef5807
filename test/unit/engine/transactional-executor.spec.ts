import { jest } from '@jest/globals';
import type { EntityManager } from 'typeorm';
import { ActiveRun, RunAbortedError, type RunBounds } from '../../../lib/engine/execution/active-run.js';
import { TransactionalExecutor } from '../../../lib/engine/execution/transactional-executor.js';
import type { HandlerTransaction } from '../../../lib/storage/index.js';
import { claimedRun } from './claimed-run.js';
import { fakeTime, pass } from './fake-time.js';

const LOST = new Error('Connection terminated');
const manager = {} as EntityManager;

/** A transaction on a server that answers only when a test says so, and a connection that can be cut. */
class StubTransaction {
  readonly steps: string[] = [];
  readonly manager = manager;
  private cut: (error: Error) => void = () => undefined;
  private answer: () => void = () => undefined;

  constructor(private readonly answers: boolean) {}

  readonly commit = (): Promise<void> => this.step('commit');
  readonly rollBack = (): Promise<void> => this.step('roll back').catch(() => undefined);
  readonly destroy = (): void => {
    this.steps.push('destroy');
    this.cut(LOST);
  };

  goOn(): void {
    this.answer();
  }

  private step(name: string): Promise<void> {
    this.steps.push(name);
    return this.answers
      ? Promise.resolve()
      : new Promise((resolve, reject) => {
          this.answer = resolve;
          this.cut = reject;
        });
  }
}

function begin(bounds: Partial<RunBounds> = {}) {
  const onOutcome = jest.fn();
  const active = new ActiveRun(claimedRun(), 0, { timeoutMs: 0, abortGraceMs: 500, ...bounds }, onOutcome);
  return { active, onOutcome };
}

function execute(
  active: ActiveRun,
  transaction: StubTransaction | Promise<StubTransaction>,
  handler: (given: EntityManager) => Promise<unknown>,
) {
  const transactions = {
    begin: async () => (await transaction) as Pick<HandlerTransaction, keyof HandlerTransaction>,
  };
  return new TransactionalExecutor(
    transactions as ConstructorParameters<typeof TransactionalExecutor>[0],
    'node',
  ).execute(active, handler);
}

describe('TransactionalExecutor', () => {
  beforeEach(fakeTime);
  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.useRealTimers();
  });

  it('commits after the handler has returned', async () => {
    const { active } = begin();
    const transaction = new StubTransaction(true);
    const handler = jest.fn(() => Promise.resolve(transaction.steps.push('handler')));
    const settlement = await execute(active, transaction, handler);
    expect(settlement).toMatchObject({ kind: 'committed', outcome: { status: 'succeeded' } });
    expect(handler).toHaveBeenCalledWith(manager);
    active.settle(settlement);
    expect(transaction.steps).toEqual(['handler', 'commit']);
  });

  it('rolls back what a handler did that failed', async () => {
    const { active } = begin();
    const transaction = new StubTransaction(true);
    await expect(execute(active, transaction, () => Promise.reject(LOST))).resolves.toEqual({
      kind: 'threw',
      error: LOST,
    });
    expect(transaction.steps).toEqual(['roll back']);
  });

  it('cuts the connection when the grace after the deadline has run out', async () => {
    const { active, onOutcome } = begin({ timeoutMs: 1_000 });
    const transaction = new StubTransaction(true);
    void execute(active, transaction, () => new Promise(() => undefined));
    await pass(1_499);
    expect(transaction.steps).toEqual([]);
    await pass(1);
    expect(transaction.steps).toEqual(['destroy']);
    expect(onOutcome).toHaveBeenCalledTimes(1);
  });

  it('does not invoke the handler when the run was over before there was a connection', async () => {
    const { active } = begin({ timeoutMs: 1_000 });
    const transaction = new StubTransaction(true);
    const handler = jest.fn(() => Promise.resolve());
    const connecting = new Promise<StubTransaction>((resolve) =>
      setTimeout(() => resolve(transaction), 2_000),
    );
    const settled = execute(active, connecting, handler);
    await pass(2_000);
    await expect(settled).resolves.toEqual({ kind: 'threw', error: expect.any(RunAbortedError) });
    expect(handler).not.toHaveBeenCalled();
    expect(transaction.steps).toEqual(['roll back']);
  });

  it('waits for a slow commit, and gives up the connection of one that is never answered', async () => {
    const slow = begin();
    const slowTransaction = new StubTransaction(false);
    const committed = execute(slow.active, slowTransaction, () => Promise.resolve());
    await pass(59_999);
    expect(slow.active.isBeingCommitted).toBe(true);
    slowTransaction.goOn();
    await expect(committed).resolves.toMatchObject({ kind: 'committed' });

    const hanging = begin();
    const hangingTransaction = new StubTransaction(false);
    const lost = execute(hanging.active, hangingTransaction, () => Promise.resolve());
    await pass(120_000);
    await expect(lost).resolves.toEqual({ kind: 'threw', error: LOST });
    expect(hangingTransaction.steps).toEqual(['commit', 'destroy', 'roll back', 'destroy']);
  });
});
