import { Client } from 'pg';
import type { DataSource } from 'typeorm';
import { codeOf, messageOf } from '../../error-reading.js';
import { isConnectionFailure } from './connection-failure.js';
import { connectionOptionsOf } from './connection-options.js';

/** What PostgreSQL says of a user or a password that it does not let in. */
const REFUSED_USER_CODES: ReadonlySet<unknown> = new Set(['28000', '28P01']);
const MISSING_DATABASE_CODE = '3D000';

/** The database cannot be used at all. What the driver said is its `cause`. */
export class DatabaseUnusableError extends Error {
  override readonly name = 'DatabaseUnusableError';

  constructor(
    message: string,
    /** The code of the cause: the system's, or PostgreSQL's. */
    readonly code: string | number | undefined,
    cause: unknown,
  ) {
    super(message, { cause });
  }
}

/** What to throw at start-up instead of an error of the driver that does not say what to do; any other as it is. */
export function explained(error: unknown, dataSource: DataSource): unknown {
  const sentence = sentenceOn(error, dataSource);
  return sentence === undefined ? error : new DatabaseUnusableError(sentence, codeOf(error), error);
}

function sentenceOn(error: unknown, dataSource: DataSource): string | undefined {
  // As the driver understands the options; without a connection, and never the password.
  const { host, port, user, database } = new Client(connectionOptionsOf(dataSource));
  const server = `${host}:${port}`;
  const code = codeOf(error);
  if (REFUSED_USER_CODES.has(code)) {
    return `PostgreSQL at ${server} does not let the user ${JSON.stringify(user)} in: ${messageOf(error)}. Correct the user and the password of the data source.`;
  }
  if (code === MISSING_DATABASE_CODE) {
    return `There is no database ${JSON.stringify(database)} at ${server}. Create it, or correct the data source.`;
  }
  return isConnectionFailure(error)
    ? `PostgreSQL at ${server} cannot be reached: ${messageOf(error)}. Start it, or correct the data source.`
    : undefined;
}
