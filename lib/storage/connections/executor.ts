import { DatabaseError, type ClientBase, type QueryResult } from 'pg';
import { asError } from '../../error-reading.js';

/** What a standby says to a write, and to a statement that locks rows. */
const READ_ONLY_CODE = '25006';

/** Whether an error says that the connection leads to a standby, or to a database that takes no writes. */
export function isOfStandby(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === READ_ONLY_CODE;
}

/**
 * The one way to run SQL: a statement with its values. It is implemented by a connection of the store's own pools and
 * by the caller's transaction, so that every change can commit or roll back with the caller's rows.
 */
export interface Executor {
  /**
   * @param name of the server-side prepared statement, where the connection keeps such.
   * @returns the rows; a statement without RETURNING yields none.
   */
  query<Row extends object>(text: string, values?: readonly unknown[], name?: string): Promise<Row[]>;
}

/** Runs statements on one connection of the store's own, and notices when it can no longer be used. */
export class ConnectionExecutor implements Executor {
  private fault: Error | undefined;

  /** @param prepares whether named statements are prepared once; a transaction-pooling proxy cannot have that. */
  constructor(
    private readonly client: ClientBase,
    private readonly prepares: boolean,
  ) {}

  /**
   * Why the connection must be destroyed: something other than an answer of the server (a timeout, a cut) left it in
   * an unknown state, maybe still busy or inside a transaction, or the server is a standby.
   */
  get brokenBy(): Error | undefined {
    return this.fault;
  }

  /** Takes note of an error that the connection itself reported. */
  readonly onConnectionError = (error: Error): void => {
    this.fault ??= error;
  };

  async query<Row extends object>(
    text: string,
    values: readonly unknown[] = [],
    name?: string,
  ): Promise<Row[]> {
    const named = this.prepares && name !== undefined ? { name } : {};
    const result = await this.watched(this.client.query<Row>({ text, values: [...values], ...named }));
    return result.rows;
  }

  /** Sends statements without values in one message; the rows are those of the last. */
  async queryTogether<Row extends object>(statements: readonly string[]): Promise<Row[]> {
    // A text of several statements answers with one result for each, which the type does not know.
    const results: unknown = await this.watched(this.client.query<Row>(statements.join('; ')));
    return (results as readonly QueryResult<Row>[]).at(-1)?.rows ?? [];
  }

  private async watched<Result>(answer: Promise<Result>): Promise<Result> {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof DatabaseError) || isOfStandby(error)) {
        this.fault ??= asError(error);
      }
      throw error;
    }
  }
}
