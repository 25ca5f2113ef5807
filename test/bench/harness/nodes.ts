import { setTimeout as delay } from 'node:timers/promises';
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

/** Takes the records of all nodes. */
export async function takeRecords(nodes: readonly NodeProcess[]): Promise<readonly Record[]> {
  return Promise.all(nodes.map((node) => node.ask('takeRecord')));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
