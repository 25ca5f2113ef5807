import { StoreEnvironmentError } from '../schedules/index.js';
import type { ConnectionPurpose, Connections, Questions, Transaction } from './connections/connections.js';
import type { Executor } from './connections/executor.js';
import type { StoreSchema } from './schema/store-schema.js';

interface StoredEnvironment {
  readonly environment: string | null;
}

/**
 * Remembers which environment the store belongs to, and keeps applications of any other from changing it. A store that
 * belongs to none is everybody's.
 *
 * Whoever claims or changes something reads `crn_store` at the start of its transaction, and so holds ACCESS SHARE on the
 * table until it ends. Whoever changes the environment holds ACCESS EXCLUSIVE. So the change waits for every transaction
 * of the former environment, and whatever begins later reads what it has changed: in READ COMMITTED, PostgreSQL takes the
 * snapshot of a statement after its locks on tables.
 */
export class EnvironmentStore {
  /** The environment that the store belongs to, or null, as a value in a statement. */
  readonly stored: string;
  private readonly readText: string;
  private readonly readLockedText: string;
  private readonly lockText: string;
  private readonly adoptText: string;
  private readonly takeText: string;

  /** @param own the environment of this application; undefined where it declares none. */
  constructor(
    private readonly schema: StoreSchema,
    private readonly connections: Connections,
    private readonly own: string | undefined,
  ) {
    this.readText = `select environment from ${schema.store}`;
    this.stored = `(${this.readText})`;
    // In a caller's transaction of a stricter isolation the snapshot may be older: the lock of the row then fails with
    // 40001 where the environment has changed since.
    this.readLockedText = `${this.readText} for share`;
    this.lockText = `lock table ${schema.store} in access exclusive mode`;
    this.adoptText = `
      insert into ${schema.store} as s (id, environment) values (true, $1)
      on conflict (id) do update set environment = excluded.environment where s.environment is null
      returning id`;
    this.takeText = `
      insert into ${schema.store} (id, environment) values (true, $1)
      on conflict (id) do update set environment = excluded.environment`;
  }

  /** Runs work in a transaction of the store's own. @throws StoreEnvironmentError (2708) where the store is another's. */
  async transaction<Result>(
    purpose: ConnectionPurpose,
    work: (transaction: Transaction) => Promise<Result>,
  ): Promise<Result> {
    return this.transactionAsking<object, Result>(purpose, {}, work);
  }

  /** As `transaction`, and asks in the message that begins it, as `Connections` says. */
  async transactionAsking<Answers extends object, Result>(
    purpose: ConnectionPurpose,
    questions: Questions<Answers>,
    work: (transaction: Transaction, answers: Answers) => Promise<Result>,
  ): Promise<Result> {
    const all: Questions<Answers & StoredEnvironment> = { ...questions, environment: this.stored };
    return this.connections.transactionAsking(purpose, all, async (transaction, answers) => {
      this.refuseForeign(answers.environment ?? undefined);
      return work(transaction, answers);
    });
  }

  /** The same in a caller's transaction, for as long as that lasts. @throws StoreEnvironmentError (2708). */
  async refuseForeignWithin(executor: Executor): Promise<void> {
    const [row] = await executor.query<StoredEnvironment>(this.readLockedText);
    this.refuseForeign(row?.environment ?? undefined);
  }

  /** Whether this application may use a store that belongs to this environment, or to none. */
  isOurs(stored: string | undefined): boolean {
    return stored === undefined || stored === this.own;
  }

  /** @throws StoreEnvironmentError (2708) where the store, by what was read of it, is another's. */
  refuseForeign(stored: string | undefined): void {
    if (stored !== undefined && !this.isOurs(stored)) {
      throw new StoreEnvironmentError(stored, this.own, this.schema.name);
    }
  }

  /** The environment that the store belongs to; undefined where it belongs to none. */
  async read(executor: Executor): Promise<string | undefined> {
    const [row] = await executor.query<StoredEnvironment>(this.readText);
    return row?.environment ?? undefined;
  }

  /**
   * Gives a store that belongs to none to this application's environment: a compare-and-set, so that of many one wins.
   *
   * @returns whether it was this one.
   */
  async adopt(executor: Executor): Promise<boolean> {
    await executor.query(this.lockText);
    const rows = await executor.query(this.adoptText, [this.own ?? null]);
    return rows.length > 0;
  }

  /** Whether this application may use the store, as it is at this moment. */
  async isOursNow(): Promise<boolean> {
    return this.isOurs(await this.read(this.connections.executor('engine')));
  }

  /** Gives the store to this application's environment, whosever it is. @returns whose it was. */
  async take(executor: Executor): Promise<string | undefined> {
    await executor.query(this.lockText);
    const former = await this.read(executor);
    await executor.query(this.takeText, [this.own ?? null]);
    return former;
  }
}
