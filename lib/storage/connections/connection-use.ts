import type { Pool, PoolClient } from 'pg';
import { destroySocket } from './client-socket.js';

/** A use of a connection was ended before the database had answered. Only a shutdown does that. */
export class ConnectionCutError extends Error {
  override readonly name = 'ConnectionCutError';

  constructor() {
    super('The database did not answer in the time that a shutdown grants, and the connection was cut.');
  }
}

/** One use of a connection, from the wait for it until it is given back. */
export class ConnectionUse {
  private client: PoolClient | undefined;
  private rejectWaiting: ((error: Error) => void) | undefined;
  private limit: NodeJS.Timeout | undefined;

  /**
   * Waits for a connection of the pool.
   *
   * @throws ConnectionCutError when the use is cut meanwhile; what the pool throws.
   */
  async connect(pool: Pool): Promise<PoolClient> {
    const cut = new Promise<never>((_resolve, reject) => {
      this.rejectWaiting = reject;
    });
    const connecting = pool.connect();
    try {
      this.client = await Promise.race([connecting, cut]);
      return this.client;
    } catch (error) {
      // One that comes too late is nobody's.
      connecting.then(
        (client) => client.release(true),
        () => undefined,
      );
      throw error;
    }
  }

  /** Ends the use, if it is not over by then. */
  limitTo(limitMs: number, onExceeded: () => void): void {
    this.limit ??= setTimeout(onExceeded, limitMs);
  }

  /** Fails at once whatever the use waits for. */
  cut(): void {
    this.rejectWaiting?.(new ConnectionCutError());
    if (this.client !== undefined) {
      destroySocket(this.client);
    }
  }

  /** The connection was given back. */
  end(): void {
    clearTimeout(this.limit);
  }
}
