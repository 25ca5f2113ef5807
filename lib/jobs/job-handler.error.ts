/**
 * A job handler cannot be registered: its name is invalid or taken, it has nothing to execute, or the application has not
 * got its store. Fails start-up.
 */
export class JobHandlerInvalidError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'JobHandlerInvalidError';
}
