import type { RequestKind } from './contestant.js';
import type { Record } from './recorder.js';

/** What a process of a node is started with. */
export interface NodeProgram {
  readonly contestant: string;
  readonly url: string;
  readonly settings: Readonly<{ [name: string]: unknown }>;
}

/** What a process uses. */
export interface Usage {
  /** Since its start, all threads. */
  readonly cpuMs: number;
  readonly residentBytes: number;
  /** Messages that asked a database for something and waited for the answer. */
  readonly roundTrips: number;
}

/** What a node answers to. */
export interface NodeActions {
  /** Waits until so many handlers have started since the last record. */
  untilStarted(count: number): Promise<void>;
  startedCount(): number;
  takeRecord(): Record;
  /** @param collects whether garbage is collected first. */
  usage(collects: boolean): Usage;
  /** Asks for a fire at once; when it was asked for, in Unix ms. */
  request(kind: RequestKind): Promise<number>;
  manage(action: string, params: Readonly<{ [name: string]: unknown }>): Promise<void>;
}

export interface ActionRequest {
  readonly id: number;
  readonly action: keyof NodeActions;
  readonly args: readonly unknown[];
}

/** An answer; id 0 is the start. */
export type NodeMessage =
  { readonly id: number; readonly result: unknown } | { readonly id: number; readonly error: string };
