import { Client, type ClientConfig } from 'pg';
import { quoteIdentifier } from '../../../migrations/quoting.js';
import { asError } from '../../error-reading.js';
import { destroySocket } from '../connections/client-socket.js';
import type { StoreSchema } from '../schema/store-schema.js';
import { type HeardWakeUp, heardWakeUp } from './wake-up.js';

/** How often the listening connection is asked for a sign of life, and how long it may take to give one. */
const PING_INTERVAL_MS = 15_000;
const PING_TIMEOUT_MS = 5_000;

/** Waits between attempts to connect again: doubled after each failure up to the longest. */
const FIRST_RETRY_MS = 100;
const LONGEST_RETRY_MS = 30_000;

/** What a listener reports. */
export interface WakeUpObserver {
  /** Something may have changed. */
  onWakeUp(kind: HeardWakeUp): void;
  /** The connection was lost, told once until there is one again; the listener keeps trying, and polling serves meanwhile. */
  onLost(error: Error): void;
}

/**
 * Listens for wake-ups on one connection of its own. A socket that dies silently is noticed by a ping and replaced;
 * the wake-ups that were lost meanwhile are made up for by one when it listens again.
 */
export class WakeUpListener {
  private client: Client | undefined;
  private timer: NodeJS.Timeout | undefined;
  private closed = false;
  private isLossTold = false;
  private retryMs = FIRST_RETRY_MS;

  constructor(
    private readonly schema: StoreSchema,
    private readonly options: ClientConfig,
    private readonly observer: WakeUpObserver,
  ) {}

  /** Starts listening, and goes on trying until it is closed. Never throws. */
  async open(): Promise<void> {
    // Its only statements are LISTEN and pings; a connection that does not answer one of them is dead.
    const client = new Client({ ...this.options, query_timeout: PING_TIMEOUT_MS });
    this.client = client;
    client.on('error', (error) => this.lose(client, error));
    client.on('end', () => this.lose(client, new Error('The listening connection was closed.')));
    client.on('notification', ({ payload }) => this.observer.onWakeUp(heardWakeUp(payload)));
    try {
      await client.connect();
      await client.query(`listen ${quoteIdentifier(this.schema.channel)}`);
    } catch (error) {
      this.lose(client, error);
      return;
    }
    if (this.client === client) {
      this.retryMs = FIRST_RETRY_MS;
      this.isLossTold = false;
      this.pingLater(client);
      // Some may have been sent while there was no connection.
      this.observer.onWakeUp('unknown');
    }
  }

  /** Stops listening. Does not wait for a server that does not answer. */
  close(): void {
    this.closed = true;
    clearTimeout(this.timer);
    const { client } = this;
    this.client = undefined;
    if (client !== undefined) {
      destroy(client);
    }
  }

  private pingLater(client: Client): void {
    this.timer = setTimeout(() => {
      client.query('select 1').then(
        () => {
          if (this.client === client) {
            this.pingLater(client);
          }
        },
        (error: unknown) => this.lose(client, error),
      );
    }, PING_INTERVAL_MS);
    this.timer.unref();
  }

  /** Replaces a lost connection. Its several signs of death count once. */
  private lose(client: Client, error: unknown): void {
    if (this.client !== client) {
      return;
    }
    this.client = undefined;
    clearTimeout(this.timer);
    destroy(client);
    if (this.closed) {
      return;
    }
    if (!this.isLossTold) {
      this.isLossTold = true;
      this.observer.onLost(asError(error));
    }
    this.timer = setTimeout(() => void this.open(), this.retryMs);
    this.timer.unref();
    this.retryMs = Math.min(this.retryMs * 2, LONGEST_RETRY_MS);
  }
}

/** Says good-bye where somebody listens, and does not wait for long. */
function destroy(client: Client): void {
  client.end().catch(() => undefined);
  setTimeout(() => destroySocket(client), 1_000).unref();
}
