import { messageOf } from '../../error-reading.js';
import { codeFacts, type StoreLogger } from '../../store-logger.js';
import type { DatabaseWait } from './database-wait.js';

/** Something that an operator should know of as a node starts. */
export interface StartWarning {
  /** What it finds out, as a sentence begins with it: "Whether everything is held". */
  readonly subject: string;
  /** Finds it out, and says so. It may be done again after it failed half-way. */
  readonly giveIfNeeded: () => Promise<void>;
}

/**
 * Gives warnings, one after the other, through outages of the database. Never rejects: no application has to stay down
 * because nobody can tell what it would only be warned of.
 */
export async function giveStartWarnings(
  warnings: readonly StartWarning[],
  databaseWait: DatabaseWait,
  logger: StoreLogger,
): Promise<void> {
  for (const { subject, giveIfNeeded } of warnings) {
    try {
      await databaseWait.outlast(giveIfNeeded);
    } catch (error) {
      logger.warn(`${subject} could not be found out: ${messageOf(error)}`, codeFacts(error));
    }
  }
}
