import type { Pool, PoolClient } from 'pg';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Connections } from './connections.js';
import type { OutcomeStore, RunOutcome } from '../runs/outcome.store.js';
import { onlyRow } from '../statements/only-row.js';
import { destroySocket } from './client-socket.js';
import { QueryRunnerExecutor } from './query-runner-executor.js';

/**
 * How long a node may fall silent between the record and the commit, in ms. Until then the record's lock is held, which
 * would keep the others from taking over whatever such a node left behind.
 */
const LONGEST_SILENCE_MS = 10_000;

/** The handler's transaction was not committed, though the handler returned. */
class HandlerTransactionError extends Error {
  override readonly name = 'HandlerTransactionError';
}

/** Opens the transactions in which transactional handlers run. */
export class HandlerTransactions {
  constructor(
    private readonly dataSource: DataSource,
    private readonly connections: Connections,
    private readonly outcomes: OutcomeStore,
  ) {}

  /** Begins one, on a connection of the application's pool. */
  async begin(): Promise<HandlerTransaction> {
    hearNewClients(this.dataSource);
    const queryRunner = this.dataSource.createQueryRunner('master');
    try {
      const client = (await queryRunner.connect()) as PoolClient;
      await queryRunner.startTransaction('READ COMMITTED');
      const sessions = await new QueryRunnerExecutor(queryRunner).query<Session>(
        `select pg_backend_pid()::text as pid, ${STARTED_SQL} as started`,
      );
      return new HandlerTransaction({
        queryRunner,
        client,
        session: onlyRow(sessions),
        connections: this.connections,
        outcomes: this.outcomes,
      });
    } catch (error) {
      if (queryRunner.isTransactionActive) {
        await queryRunner.rollbackTransaction().catch(() => undefined);
      }
      await queryRunner.release();
      throw error;
    }
  }
}

const HEARD_POOLS = new WeakSet<Pool>();

/**
 * Listens to the errors of every client that the application's pool opens from now on. TypeORM does so only some turns
 * after the pool has handed the client out; one that dies in between, in the very message that makes it ready, would end
 * the process. What its first statement finds is enough.
 */
function hearNewClients({ driver }: DataSource): void {
  const { master } = driver as unknown as { readonly master: Pool };
  if (!HEARD_POOLS.has(master)) {
    HEARD_POOLS.add(master);
    master.on('connect', (client) => client.on('error', () => undefined));
  }
}

/** Identifies a transaction on its server, also where sessions are shared behind a proxy. */
interface Session {
  readonly pid: string;
  /** When the transaction started, exact to the microsecond. */
  readonly started: string;
}

const STARTED_SQL = 'extract(epoch from transaction_timestamp())::text';

interface HandlerTransactionParts {
  readonly queryRunner: QueryRunner;
  readonly client: PoolClient;
  readonly session: Session;
  readonly connections: Connections;
  readonly outcomes: OutcomeStore;
}

/** The transaction of one transactional run. It is over after `commit`, `rollBack` or `destroy`. */
export class HandlerTransaction {
  private readonly executor: QueryRunnerExecutor;

  constructor(private readonly parts: HandlerTransactionParts) {
    this.executor = new QueryRunnerExecutor(parts.queryRunner);
  }

  /** What the handler works with. */
  get manager(): EntityManager {
    return this.parts.queryRunner.manager;
  }

  /**
   * Records the run's success as the last statement, and commits. The lock order of the store holds: what the handler
   * may have locked of its schedules comes before the record of the run, after which nothing more is locked.
   *
   * @throws HandlerTransactionError when the run is not this node's any more, or the transaction not the one that was
   *   begun; what the database throws. Where the connection was lost, the journal alone knows whether it has committed.
   */
  async commit(nodeId: string, outcome: RunOutcome): Promise<void> {
    const { queryRunner, session, outcomes } = this.parts;
    const [now] = await this.executor.query<Pick<Session, 'started'>>(
      `select ${STARTED_SQL} as started, set_config('idle_in_transaction_session_timeout', $1, true)`,
      [String(LONGEST_SILENCE_MS)],
    );
    if (!queryRunner.isTransactionActive || now?.started !== session.started) {
      throw new HandlerTransactionError(
        'The handler ended its transaction itself, so that its success could not be recorded with it: leave committing and rolling back to the run.',
      );
    }
    const isWritten = await outcomes.writeWithin(this.executor, nodeId, outcome);
    if (!isWritten) {
      throw new HandlerTransactionError(
        'The run was ended by another node before its handler returned, and its transaction was rolled back.',
      );
    }
    await queryRunner.commitTransaction();
    if (queryRunner.isTransactionActive) {
      throw new HandlerTransactionError(
        'The handler returned while a transaction that it had nested was still open, and everything was rolled back: wait for it.',
      );
    }
    await queryRunner.release();
  }

  /** Rolls back what the handler did, with whatever transactions it has nested, and gives the connection back. Never rejects. */
  async rollBack(): Promise<void> {
    const { queryRunner } = this.parts;
    try {
      while (queryRunner.isTransactionActive && !queryRunner.isReleased) {
        await queryRunner.rollbackTransaction();
      }
      await queryRunner.release();
    } catch {
      // A connection in an unknown state is not for anybody else.
      this.destroy();
    }
  }

  /**
   * Cuts the connection, so that nothing can be sent that would commit, and asks the server to end what it is still
   * doing for it, so that its locks do not outlive it.
   */
  destroy(): void {
    const { queryRunner, client, session, connections } = this.parts;
    if (queryRunner.isReleased) {
      return;
    }
    destroySocket(client);
    connections
      .query(
        'engine',
        `select pg_terminate_backend(pid) from pg_stat_activity
         where pid = $1::int and extract(epoch from xact_start)::text = $2`,
        [session.pid, session.started],
      )
      // The server notices by itself that nobody is there any more, only later.
      .catch(() => undefined);
  }
}
