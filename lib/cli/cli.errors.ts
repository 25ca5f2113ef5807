/** The command was not given what it needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command was understood and is not carried out. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}
