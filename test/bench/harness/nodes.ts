import { setTimeout as delay } from 'node:timers/promises';
import { untilRecorded } from './execution.js';
import type { NamedContestant } from './contestant.js';
import type { Database } from './database.js';
import { NodeProcess } from './node-process.js';
import type { NodeProgram } from './protocol.js';
import type { Record } from './recorder.js';

const PROBE_PAUSE_MS = 20;

/** Starts nodes that are all alike, and stops them when the work is done. */
export async function withNodes<Result>(
  program: NodeProgram,
  count: number,
  work: (nodes: readonly NodeProcess[]) => Promise<Result>,
): Promise<Result> {
  const nodes = await Promise.all(Array.from({ length: count }, () => NodeProcess.start(program)));
  try {
    return await work(nodes);
  } finally {
    await Promise.all(nodes.map((node) => node.stop()));
  }
}

/** Waits until so many handlers have started on all nodes together. */
export async function untilStarted(nodes: readonly NodeProcess[], count: number): Promise<void> {
  while (sum(await Promise.all(nodes.map((node) => node.ask('startedCount')))) < count) {
    await delay(PROBE_PAUSE_MS);
  }
}

/** A database, and who works on it. */
export interface Workplace {
  readonly database: Database;
  readonly contestant: Pick<NamedContestant, 'hasUnfinishedSql'>;
}

/** What a node did, and how fast. */
export interface Executed {
  readonly record: Record | undefined;
  /** From the start of the first handler until the last outcome was recorded. */
  readonly firesPerSecond: number;
}

/** Waits until a node has executed so many fires since the last time, and every outcome is in the database. */
export async function untilExecuted(
  node: NodeProcess | undefined,
  count: number,
  { database, contestant }: Workplace,
): Promise<Executed> {
  await node?.ask('untilStarted', count);
  await untilRecorded(database, contestant);
  const recordedAtUnixMs = Date.now();
  const record = await node?.ask('takeRecord');
  return { record, firesPerSecond: (count * 1_000) / (recordedAtUnixMs - (record?.firstAtUnixMs ?? 0)) };
}

/** Takes the records of all nodes. */
export async function takeRecords(nodes: readonly NodeProcess[]): Promise<readonly Record[]> {
  return Promise.all(nodes.map((node) => node.ask('takeRecord')));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
