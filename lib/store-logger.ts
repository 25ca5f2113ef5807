import { Logger } from '@nestjs/common';

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

/** What an error says, in one line; its code where it says nothing. */
export function messageOf(error: unknown): string {
  return (
    readable(() => {
      if (!(error instanceof Error)) {
        return String(error);
      }
      const { errorCode } = codeFacts(error);
      return error.message || String(errorCode ?? error.name);
    }) ?? 'an error that cannot be read'
  );
}

/** The code of an error, of its own or of the driver's error in it. */
export function codeFacts(error: unknown): Pick<LogFacts, 'errorCode'> {
  return readable(() => codeFactsOf(error)) ?? {};
}

function codeFactsOf(error: unknown): Pick<LogFacts, 'errorCode'> {
  if (typeof error !== 'object' || error === null) {
    return {};
  }
  if ('driverError' in error) {
    return codeFactsOf(error.driverError);
  }
  const code = 'code' in error ? error.code : undefined;
  return typeof code === 'string' || typeof code === 'number' ? { errorCode: code } : {};
}

function stackOf(cause: unknown): string | undefined {
  return readable(() =>
    cause instanceof Error && typeof cause.stack === 'string' ? cause.stack : undefined,
  );
}

/** What is thrown may be anything, also something that refuses to be looked at. */
function readable<Value>(read: () => Value): Value | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
