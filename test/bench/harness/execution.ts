import { setTimeout as delay } from 'node:timers/promises';
import type { Contestant } from './contestant.js';
import type { Database } from './database.js';

const PROBE_PAUSE_MS = 5;

/** Options of a node that soon notices what is made due behind its back. */
export const NOTICES_SOON = { pollInterval: 50 };

/** Brings a database that was just filled to rest: its statistics are right, and nothing is left to be written. */
export async function settle(database: Database): Promise<void> {
  await database.query('vacuum analyze');
  await database.query('checkpoint');
}

/** Waits until everything that was started is recorded as finished. */
export async function untilRecorded(
  database: Database,
  { hasUnfinishedSql }: Pick<Contestant, 'hasUnfinishedSql'>,
): Promise<void> {
  while (await database.value(`select (${hasUnfinishedSql}) as value`)) {
    await delay(PROBE_PAUSE_MS);
  }
}

/** The first full second after a delay: what a cron expression can name. */
export function secondIn(delayMs: number): number {
  return Math.ceil((Date.now() + delayMs) / 1_000) * 1_000;
}
