import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Executor } from './executor.js';
import { QueryRunnerExecutor } from './query-runner-executor.js';

const SAVEPOINT = 'crn_change';

/** The work that is under way in a caller's transaction. */
const underWay = new WeakMap<QueryRunner, Promise<unknown>>();

/**
 * Runs work inside the transaction of a caller's `EntityManager`, behind a savepoint: where it throws, that transaction
 * is as it was before, and still usable. What is started at the same time in one transaction takes turns, because
 * savepoints nest: going back to one would undo what somebody else did since.
 *
 * @throws TypeError when it is not the EntityManager of an active transaction of this data source.
 */
export async function withinCallersTransaction<Result>(
  dataSource: DataSource,
  manager: EntityManager,
  work: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  const queryRunner = activeQueryRunnerOf(manager);
  if (dataSourceOf(manager) !== dataSource) {
    throw new TypeError(
      '`transaction` must be an EntityManager of the data source that the store is in; this one belongs to another.',
    );
  }
  const before = underWay.get(queryRunner) ?? Promise.resolve();
  const turn = before.then(() => behindSavepoint(new QueryRunnerExecutor(queryRunner), work));
  underWay.set(
    queryRunner,
    turn.catch(() => undefined),
  );
  return turn;
}

async function behindSavepoint<Result>(
  executor: Executor,
  work: (executor: Executor) => Promise<Result>,
): Promise<Result> {
  await executor.query(`savepoint ${SAVEPOINT}`);
  try {
    const result = await work(executor);
    await executor.query(`release savepoint ${SAVEPOINT}`);
    return result;
  } catch (error) {
    // Where this fails, the whole transaction is lost, and the error that led here is the one to report.
    await executor.query(`rollback to savepoint ${SAVEPOINT}`).catch(() => undefined);
    throw error;
  }
}

/** An EntityManager by what it belongs to, which TypeORM 0.3 calls its connection, also in its types. */
interface Owned {
  readonly dataSource?: DataSource;
  readonly connection?: DataSource;
}

function dataSourceOf({ dataSource, connection }: Owned): DataSource | undefined {
  return dataSource ?? connection;
}

/** Whoever does without types may have given anything. */
function activeQueryRunnerOf(manager: Partial<EntityManager> | null): QueryRunner {
  const queryRunner = manager?.queryRunner;
  if (!queryRunner?.isTransactionActive) {
    throw new TypeError(
      '`transaction` must be the EntityManager of an active transaction: pass the one that dataSource.transaction(async (manager) => …) hands you.',
    );
  }
  return queryRunner;
}
