import { codeOf } from '../../error-reading.js';
import { DEADLOCK_DETECTED } from './error-code.js';

const MOST_ATTEMPTS = 5;

/**
 * Does a transaction again that PostgreSQL refused for a deadlock, which it ends by refusing one of those in it. Nothing
 * remains of that one, so that it is as if it had come a moment later.
 *
 * @param work the whole transaction, from its beginning.
 */
export async function outliveDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) !== DEADLOCK_DETECTED || attempt === MOST_ATTEMPTS) {
        throw error;
      }
    }
  }
}
