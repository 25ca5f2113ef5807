import type { EntityManager } from 'typeorm';
import type { HandlerTransaction, HandlerTransactions } from '../../storage/index.js';
import type { ActiveRun, Settlement } from './active-run.js';
import { LongTimer } from '../timing/long-timer.js';

/** How long a server may take to commit or to roll back, before its connection is given up. */
const LONGEST_END_MS = 60_000;

/**
 * Executes transactional handlers: in a transaction whose last statement records their success, and of which nothing
 * remains when the run ends in any other way.
 */
export class TransactionalExecutor {
  constructor(
    private readonly transactions: Pick<HandlerTransactions, 'begin'>,
    private readonly nodeId: string,
  ) {}

  /** @param invoke the handler, for which the transaction is. Never rejects. */
  async execute(
    active: ActiveRun,
    invoke: (manager: EntityManager) => Promise<unknown>,
  ): Promise<Settlement> {
    let transaction: HandlerTransaction | undefined;
    const destroy = () => transaction?.destroy();
    active.over.addEventListener('abort', destroy, { once: true });
    try {
      transaction = await this.transactions.begin();
      active.over.throwIfAborted();
      await invoke(transaction.manager);
      const outcome = active.beginCommit();
      await endOf(transaction, transaction.commit(this.nodeId, outcome));
      return { kind: 'committed', outcome };
    } catch (error) {
      if (transaction !== undefined) {
        await endOf(transaction, transaction.rollBack());
      }
      return { kind: 'threw', error };
    } finally {
      active.over.removeEventListener('abort', destroy);
    }
  }
}

/** Waits for a transaction to end, and gives it up where the server does not answer. */
async function endOf(transaction: HandlerTransaction, ending: Promise<void>): Promise<void> {
  // Cut off, it fails: whether it took effect all the same, the journal knows.
  const limit = new LongTimer(LONGEST_END_MS, () => transaction.destroy());
  try {
    await ending;
  } finally {
    limit.cancel();
  }
}
