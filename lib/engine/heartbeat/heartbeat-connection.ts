import { Pool, type ClientConfig } from 'pg';
import type { StandInStatement } from '../../storage/index.js';

/** Hears of the connection. */
export interface HeartbeatConnectionObserver {
  onConnected(): void;
  onDisconnected(): void;
  onUnreachable(error: unknown): void;
}

/**
 * The one connection of the worker thread. It is opened before it is needed and kept: by then the main thread, which may
 * have to be asked for a password, does not answer.
 */
export class HeartbeatConnection {
  private pool: Pool;

  /** @param patienceMs how long to wait for the server, to connect or to answer. */
  constructor(
    options: ClientConfig,
    private readonly patienceMs: number,
    private readonly observer: HeartbeatConnectionObserver,
  ) {
    this.pool = this.poolOf(options);
  }

  /** Opens the connection, unless it is open. Never throws. */
  async open(): Promise<void> {
    try {
      const client = await this.pool.connect();
      client.release();
    } catch (error) {
      this.observer.onUnreachable(error);
    }
  }

  /** Opens another connection, with these options. Never throws. */
  async reopen(options: ClientConfig): Promise<void> {
    const former = this.pool;
    this.pool = this.poolOf(options);
    // It is empty, or its connection is about to fail: nobody waits for it.
    former.end().catch(() => undefined);
    await this.open();
  }

  /** Runs a statement, on a new connection where the last one was lost. */
  async run({ text, values }: StandInStatement): Promise<void> {
    // Not prepared: it is seldom needed, and a proxy that pools by transaction could not have that.
    await this.pool.query(text, [...values]);
  }

  private poolOf(options: ClientConfig): Pool {
    const pool = new Pool({
      ...options,
      max: 1,
      idleTimeoutMillis: 0,
      query_timeout: this.patienceMs,
      connectionTimeoutMillis: this.patienceMs,
    });
    pool.on('connect', (client) => {
      // What its statement finds is enough, and without a listener an error would end the thread.
      client.on('error', () => undefined);
      if (pool === this.pool) {
        this.observer.onConnected();
      }
    });
    pool.on('remove', () => {
      if (pool === this.pool) {
        this.observer.onDisconnected();
      }
    });
    pool.on('error', () => undefined);
    return pool;
  }
}
