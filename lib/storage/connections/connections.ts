import { Client, Pool, type ClientBase, type ClientConfig, type PoolClient } from 'pg';
import type { DataSource } from 'typeorm';
import { destroySocket } from './client-socket.js';
import { toNumber } from '../statements/column-values.js';
import { onlyRow } from '../statements/only-row.js';
import { connectionOptionsOf } from './connection-options.js';
import { ConnectionCutError, ConnectionUse } from './connection-use.js';
import { ConnectionExecutor, isOfStandby, type Executor } from './executor.js';
import type { StoreClock } from '../store-clock.js';

/**
 * Bounds of every transaction of the store, set inside it. A node that freezes or is cut off in the middle of one
 * loses its locks after at most these, so that it cannot hide schedules from the others. All are shorter than what a
 * client waits for, and the first two hold outside of transactions too, where sessions are the store's own.
 */
const TRANSACTION_LIMITS_MS = { statement: 15_000, lock: 5_000, idle: 10_000 };

/** After this long without any answer a connection counts as dead, and is destroyed. */
const QUERY_TIMEOUT_MS = 20_000;

/** Longer than the usual pauses between heartbeats and polls, which would otherwise connect anew each time. */
const IDLE_TIMEOUT_MS = 5 * 60_000;

/** How long closing waits for connections in use, and then for the sockets to say good-bye. */
const CLOSE_LIMIT_MS = 5_000;
const GOOD_BYE_MS = 1_000;

/** Connections by what they serve. None waits for another purpose's, so that nothing starves a heartbeat. */
const POOL_SIZES = { engine: 4, heartbeat: 1, manager: 2 };

/** What a connection is for. */
export type ConnectionPurpose = keyof typeof POOL_SIZES;

/** A running transaction, and the store's time at its start. */
export interface Transaction {
  readonly executor: Executor;
  readonly nowUnixMs: number;
}

/** SQL expressions without parameters, by the names of their answers. */
export type Questions<Answers extends object> = { readonly [Name in keyof Answers]: string };

/**
 * The store's own connections to the application's database: up to seven, opened when first used and closed when idle,
 * apart from the one that listens. The application's pool is never touched, so that handlers that hold all of its
 * connections cannot keep the engine from claiming, heartbeating or journaling.
 */
export class Connections {
  private readonly pools: Readonly<Record<ConnectionPurpose, Pool>>;
  private readonly beginStatements: readonly string[];
  private readonly clients = new Set<Client>();
  private readonly uses = new Map<ConnectionUse, ConnectionPurpose>();
  /** Clients from before a standby was met, which may be connected to it as well: each is used once more at most. */
  private outdated = new WeakSet<ClientBase>();
  private useLimitMs: number | undefined;
  private hasGivenUp = false;
  private closing: Promise<void> | undefined;

  /**
   * @param ownsSessions whether a connection is one session of the server, in which statements can be prepared and limits
   *   set; false behind a transaction-pooling proxy.
   */
  constructor(
    dataSource: DataSource,
    private readonly clock: StoreClock,
    private readonly ownsSessions: boolean,
    onError: (error: Error) => void,
  ) {
    const options = connectionOptionsOf(dataSource);
    const KnownClient = clientKnownTo(this.clients);
    const poolOf = (purpose: ConnectionPurpose) => {
      const pool = new Pool({
        ...options,
        max: POOL_SIZES[purpose],
        query_timeout: QUERY_TIMEOUT_MS,
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        Client: KnownClient,
        ...(ownsSessions ? { verify: boundStatements } : {}),
      });
      // An idle connection that dies has no caller to tell; without a listener it would end the process.
      pool.on('error', (error) => {
        if (!this.hasGivenUp) {
          onError(error);
        }
      });
      // Nor has one that dies in the very message in which it is handed out, before anybody can listen to it: what its
      // first statement finds is enough.
      pool.on('connect', (client) => client.on('error', () => undefined));
      return pool;
    };
    this.pools = { engine: poolOf('engine'), heartbeat: poolOf('heartbeat'), manager: poolOf('manager') };
    // One message, and the only form that a transaction-pooling proxy accepts: as start-up parameters it refuses them.
    this.beginStatements = [
      // Whether it may write is for the server to say: a database that takes no writes for a while takes no claim either,
      // whose outcome it would refuse.
      'begin isolation level read committed',
      `set local statement_timeout = ${TRANSACTION_LIMITS_MS.statement}`,
      `set local lock_timeout = ${TRANSACTION_LIMITS_MS.lock}`,
      `set local idle_in_transaction_session_timeout = ${TRANSACTION_LIMITS_MS.idle}`,
    ];
  }

  /** Runs one statement on its own. */
  async query<Row extends object>(
    purpose: ConnectionPurpose,
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row[]> {
    return this.withConnection(purpose, (executor) => executor.query(text, values, name));
  }

  /** Runs statements each on its own. */
  executor(purpose: ConnectionPurpose): Executor {
    return { query: (text, values, name) => this.query(purpose, text, values, name) };
  }

  /** Asks for the store's time. */
  async now(purpose: ConnectionPurpose): Promise<number> {
    return this.withConnection(purpose, (executor) => this.nowWithin(executor));
  }

  /** Asks for the store's time on a connection of the caller's. */
  async nowWithin(executor: Executor): Promise<number> {
    const row = onlyRow(await executor.query<{ now: number | string }>(`select ${this.clock.nowSql} as now`));
    return toNumber(row.now);
  }

  /** Runs `work` in a READ COMMITTED transaction, which commits when it returns and rolls back when it throws. */
  async transaction<Result>(
    purpose: ConnectionPurpose,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.transactionAsking<object, Result>(purpose, {}, work);
  }

  /** As `transaction`, and asks in the message that begins it. */
  async transactionAsking<Answers extends object, Result>(
    purpose: ConnectionPurpose,
    questions: Questions<Answers>,
    work: (transaction: Transaction, answers: Answers) => Promise<Result>,
  ): Promise<Result> {
    const columns = Object.entries<string>(questions).map(([name, expression]) => `${expression} as ${name}`);
    const ask = `select ${[`${this.clock.nowSql} as now`, ...columns].join(', ')}`;
    return this.withConnection(purpose, async (executor) => {
      try {
        const row = onlyRow(
          await executor.queryTogether<Answers & { now: number }>([...this.beginStatements, ask]),
        );
        const result = await work({ executor, nowUnixMs: toNumber(row.now) }, row);
        await executor.query('commit');
        return result;
      } catch (error) {
        await rollBack(executor);
        throw error;
      }
    });
  }

  /** Fails at once what waits for the database on connections of this purpose. They can be used again. */
  interrupt(purpose: ConnectionPurpose): void {
    for (const [use, its] of this.uses) {
      if (its === purpose) {
        use.cut();
      }
    }
  }

  /**
   * For a shutdown: from now on, a connection that is in use for longer than this means that the database does not answer.
   * Then every connection is cut, and whoever asks for one fails at once.
   */
  giveUpAfter(limitMs: number): void {
    this.useLimitMs ??= limitMs;
    this.uses.forEach((_purpose, use) => this.limit(use));
  }

  /** Closes every connection, once. Waits for those in use, at most for five seconds, and then cuts them. */
  async close(): Promise<void> {
    this.closing ??= this.end();
    await this.closing;
  }

  private async end(): Promise<void> {
    let limit: NodeJS.Timeout | undefined;
    const exceeded = new Promise<void>((resolve) => {
      limit = setTimeout(resolve, this.hasGivenUp ? 0 : CLOSE_LIMIT_MS);
    });
    const ended = Promise.all(Object.values(this.pools).map((pool) => pool.end()));
    const isEnded = await Promise.race([ended.then(() => true), exceeded.then(() => false)]);
    clearTimeout(limit);
    if (isEnded) {
      // Sockets that are closing, and whose server does not close them in its turn, must not hold the process.
      setTimeout(() => this.clients.forEach(destroySocket), GOOD_BYE_MS).unref();
    } else {
      this.giveUp();
    }
  }

  private limit(use: ConnectionUse): void {
    if (this.useLimitMs !== undefined) {
      use.limitTo(this.useLimitMs, () => this.giveUp());
    }
  }

  private giveUp(): void {
    this.hasGivenUp = true;
    this.uses.forEach((_purpose, use) => use.cut());
    this.clients.forEach(destroySocket);
  }

  private async withConnection<Result>(
    purpose: ConnectionPurpose,
    work: (executor: ConnectionExecutor) => Promise<Result>,
  ): Promise<Result> {
    if (this.hasGivenUp) {
      throw new ConnectionCutError();
    }
    const use = new ConnectionUse();
    this.uses.set(use, purpose);
    this.limit(use);
    try {
      const client = await use.connect(this.pools[purpose]);
      const executor = new ConnectionExecutor(client, this.ownsSessions);
      // While a client is checked out, its errors are not the pool's to hear.
      client.on('error', executor.onConnectionError);
      try {
        return await work(executor);
      } finally {
        client.off('error', executor.onConnectionError);
        // The address is resolved anew for whatever comes next, also for what only reads and would not be refused.
        if (isOfStandby(executor.brokenBy)) {
          this.outdated = new WeakSet(this.clients);
        }
        client.release(executor.brokenBy ?? this.outdated.has(client));
      }
    } finally {
      use.end();
      this.uses.delete(use);
    }
  }
}

/** A class of clients that are in the set for as long as their sockets are open, also where a pool has forgotten them. */
function clientKnownTo(clients: Set<Client>): new (config?: ClientConfig) => Client {
  return class KnownClient extends Client {
    constructor(config?: ClientConfig) {
      super(config);
      clients.add(this);
      this.once('end', () => clients.delete(this));
    }
  };
}

/**
 * Has the server itself give up what a new connection asks outside of transactions. Nobody tells it that a client has
 * stopped waiting: behind the lock of a table, each new try would leave another session there.
 */
function boundStatements(client: PoolClient, done: (error?: Error) => void): void {
  const { statement, lock } = TRANSACTION_LIMITS_MS;
  client.query(`set statement_timeout = ${statement}; set lock_timeout = ${lock}`, (error?: Error) =>
    done(error),
  );
}

/** A connection that is broken is destroyed instead, whereupon the server rolls back. */
async function rollBack(executor: ConnectionExecutor): Promise<void> {
  if (executor.brokenBy === undefined) {
    // Where this fails, the executor notes it, and the error that led here is the one to report.
    await executor.query('rollback').catch(() => undefined);
  }
}
