import { isConnectionFailure } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { retryPauseAfter } from '../timing/retry-pause.js';
import { WakeableSleep } from '../timing/wakeable-sleep.js';

/**
 * Does the work of a start-up through outages of the database. Only what time may mend is tried again, see
 * `isConnectionFailure`; anything else fails at once.
 */
export class DatabaseWait {
  private readonly logger = new StoreLogger();
  private readonly pause = new WakeableSleep();

  /** @param leftMs how long to wait, all outages of the start-up together; 0 is not at all. */
  constructor(private leftMs: number) {}

  /**
   * Does some work that may be done again after it failed half-way.
   *
   * @throws what the work throws: the error of the last attempt where the database was away for too long.
   */
  async outlast<Result>(work: () => Promise<Result>): Promise<Result> {
    let awaySince: number | undefined;
    for (let failures = 1; ; failures += 1) {
      try {
        const result = await work();
        if (awaySince !== undefined) {
          this.leftMs -= performance.now() - awaySince;
          this.logger.log('The database can be reached, the start-up goes on.');
        }
        return result;
      } catch (error) {
        awaySince ??= performance.now();
        const leftMs = this.leftMs - (performance.now() - awaySince);
        if (leftMs <= 0 || !isConnectionFailure(error)) {
          this.leftMs = leftMs;
          throw error;
        }
        if (failures === 1) {
          this.logger.warn(
            `The database cannot be reached, the start-up waits for up to ${Math.ceil(leftMs)} ms: ${messageOf(error)}`,
            codeFacts(error),
          );
        }
        await this.pause.sleep(Math.min(retryPauseAfter(failures), leftMs));
      }
    }
  }
}
