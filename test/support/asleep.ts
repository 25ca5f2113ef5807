import { jest } from '@jest/globals';
import type { CronStoreOptions } from '../../lib/index.js';
import { AgendaStore } from '../../lib/storage/claims/agenda.store.js';
import { untilTrue } from './database.js';
import type { StoreApp } from './store-app.js';

/** Options of a node that looks once whether something is due, and then not within an hour. */
export const ASLEEP: CronStoreOptions = { pollInterval: '1h', listen: false };

/**
 * Starts a node with the options above, and waits until its first look is over: its loop sleeps from now on, and claims
 * nothing before it is asked to. `runOnce` wakes the loop when it is over, so that from then on either may claim.
 */
export async function startAsleep(start: () => Promise<StoreApp>): Promise<StoreApp> {
  const looks = jest.spyOn(AgendaStore.prototype, 'read');
  try {
    const node = await start();
    await untilTrue('the loop looks ahead', () => looks.mock.results.length > 0);
    await looks.mock.results[0]?.value;
    return node;
  } finally {
    looks.mockRestore();
  }
}
