import { setTimeout as delay } from 'node:timers/promises';
import type { Duration } from '../schedules/index.js';
import { testDurationOf } from './test-duration.js';

/** Between two looks. */
const PAUSE_MS = 5;

/**
 * Looks again and again until there is something.
 *
 * @param timeout in real time.
 * @param describe completes "After 10000 ms …".
 * @throws Error at the timeout.
 */
export async function until<Found>(
  look: () => Promise<Found | undefined>,
  timeout: Duration,
  describe: () => Promise<string>,
): Promise<Found> {
  const timeoutMs = testDurationOf(timeout);
  const deadline = performance.now() + timeoutMs;
  let found = await look();
  while (found === undefined) {
    if (performance.now() >= deadline) {
      throw new Error(`After ${timeoutMs} ms ${await describe()}`);
    }
    await delay(PAUSE_MS);
    found = await look();
  }
  return found;
}
