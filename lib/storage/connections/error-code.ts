/** Codes that PostgreSQL gives to errors. */
export const UNIQUE_VIOLATION = '23505';
export const INSUFFICIENT_PRIVILEGE = '42501';

/** PostgreSQL's code of an error, from a connection of ours or from the host's, where TypeORM wraps it. */
export function codeOf(error: unknown): unknown {
  if (typeof error !== 'object' || error === null) {
    return undefined;
  }
  if ('driverError' in error) {
    return codeOf(error.driverError);
  }
  return 'code' in error ? error.code : undefined;
}
