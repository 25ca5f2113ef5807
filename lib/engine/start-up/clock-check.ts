import { serverNow, type Storage } from '../../storage/index.js';
import type { StoreLogger } from '../../store-logger.js';

/** From here on a difference is none of the network's, and matters to whoever reads a log. */
const NOTABLE_MS = 30_000;

/** Says so where the clock of this machine and the database's disagree. Nothing that the store decides depends on it. */
export async function warnOfWrongClock(storage: Storage, logger: StoreLogger): Promise<void> {
  const before = Date.now();
  const serverNowUnixMs = await serverNow(storage.connections);
  const aheadMs = (before + Date.now()) / 2 - serverNowUnixMs;
  if (Math.abs(aheadMs) >= NOTABLE_MS) {
    logger.warn(
      `The clock of this machine is ${Math.round(Math.abs(aheadMs) / 1_000)} s ${aheadMs > 0 ? 'ahead of' : 'behind'} the database's: schedules fire by the database's, and what handlers do by Date is wrong. Synchronize the clocks.`,
    );
  }
}
