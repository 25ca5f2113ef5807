import { Logger } from '@nestjs/common';
import { codeOf, stackOf } from './error-reading.js';

/**
 * What a line is about, beside its sentence: identities, counts and words. Never params, results, statements or
 * credentials.
 */
export interface LogFacts {
  readonly nodeId?: string | undefined;
  readonly scheduleName?: string | undefined;
  readonly jobName?: string | undefined;
  readonly runId?: string | undefined;
  readonly attempt?: number | undefined;
  readonly reason?: string | undefined;
  readonly missedCount?: number | undefined;
  /** The code of the error that the sentence ends with: PostgreSQL's, the system's, or the store's. */
  readonly errorCode?: string | number | undefined;
}

/** The context of every line. */
const CONTEXT = 'CronStore';

/**
 * Writes to Nest's logger, whatever stands behind it. A line is a sentence that says everything to who reads it, with the
 * facts as an object after it, for who searches: Nest prints them behind the sentence, or with `json: true` as `params`.
 */
export class StoreLogger {
  private readonly logger = new Logger(CONTEXT);

  /** @param common facts of every line of whoever writes. */
  constructor(private readonly common: LogFacts = {}) {}

  /** What went as it should. */
  log(sentence: string, facts?: LogFacts): void {
    this.logger.log(sentence, ...this.params(facts));
  }

  /** What helps whoever looks for it. */
  debug(sentence: string, facts?: LogFacts): void {
    this.logger.debug(sentence, ...this.params(facts));
  }

  /** What somebody should know of, and what the store deals with by itself. */
  warn(sentence: string, facts?: LogFacts): void {
    this.logger.warn(sentence, ...this.params(facts));
  }

  /** What somebody has to look at. @param cause whose stack is printed, where it has one. */
  error(sentence: string, facts?: LogFacts, cause?: unknown): void {
    const stack = stackOf(cause);
    this.logger.error(sentence, ...this.params(facts), ...(stack === undefined ? [] : [stack]));
  }

  /** Nothing at all where there are none: an empty object would be printed. */
  private params(facts: LogFacts = {}): readonly object[] {
    const known = Object.entries({ ...this.common, ...facts }).filter(([, value]) => value !== undefined);
    return known.length === 0 ? [] : [Object.fromEntries(known)];
  }
}

/** The code of an error, as a fact. */
export function codeFacts(error: unknown): Pick<LogFacts, 'errorCode'> {
  const errorCode = codeOf(error);
  return errorCode === undefined ? {} : { errorCode };
}
