import { QueryRunnerAlreadyReleasedError } from 'typeorm';
import { codeOf } from '../../error-reading.js';

/** What a system call says where nobody answers, the way is cut, or the name of the server is not known (yet). */
const SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** What PostgreSQL says while it starts, stops, recovers, or has no connection left. */
const SERVER_CODES = new Set(['57P01', '57P02', '57P03', '53300']);

/** PostgreSQL's class of connection exceptions. */
const CONNECTION_EXCEPTION = /^08...$/;

/** What pg says without a code. Where a later version says it otherwise, nothing is waited for that is none of these. */
const DRIVER_MESSAGES = new Set([
  'timeout expired',
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
]);

/**
 * Whether an error says that the database could not be reached, or was lost: what time may mend without anybody changing
 * anything. A refused password, a database, schema or table that is missing, a right that lacks, a certificate that is
 * not trusted: none of these.
 */
export function isConnectionFailure(error: unknown): boolean {
  // TypeORM gives a query runner back when its connection is lost; whoever goes on with it hears only of that.
  if (error instanceof QueryRunnerAlreadyReleasedError) {
    return true;
  }
  const code = codeOf(error);
  if (typeof code !== 'string') {
    return error instanceof Error && DRIVER_MESSAGES.has(error.message);
  }
  return (
    SYSTEM_CODES.has(code) ||
    SERVER_CODES.has(code) ||
    CONNECTION_EXCEPTION.test(code) ||
    isMissingSocket(code, error)
  );
}

/** A server on a Unix-domain socket that is down has removed the file. */
function isMissingSocket(code: string, error: unknown): boolean {
  return code === 'ENOENT' && error instanceof Error && 'syscall' in error && error.syscall === 'connect';
}
