import type { ClientConfig } from 'pg';
import type { StandInStatement } from '../../storage/index.js';

/** What the worker thread is started with. */
export interface HeartbeatWorkerSettings {
  readonly statement: StandInStatement;
  readonly connection: ClientConfig;
  /** How long to wait for the database before an attempt counts as failed. */
  readonly patienceMs: number;
  readonly intervalMs: number;
  readonly stuckAfterMs: number;
}

/** How the heartbeat before went. Where it failed, the database was the cause of the silence, and no blocked loop. */
export type PreviousBeat = 'succeeded' | 'failed';

/** What the main thread tells the worker thread. */
export type HeartbeatWorkerOrder =
  /** A heartbeat of the main thread has succeeded, after one that succeeded or one that failed. */
  | { readonly kind: 'beaten'; readonly previous: PreviousBeat }
  /** Open a connection, from now on with these options. */
  | { readonly kind: 'connect'; readonly connection: ClientConfig };

/** What the worker thread tells the main thread. */
export type HeartbeatWorkerReport =
  | { readonly kind: 'connected' }
  /** The connection was lost. */
  | { readonly kind: 'disconnected' }
  /** No connection could be opened. */
  | { readonly kind: 'unreachable'; readonly reason: string }
  /** Heartbeats of the main thread failed to come for a while, and come again. */
  | { readonly kind: 'stoodIn'; readonly silentMs: number; readonly beats: number };
