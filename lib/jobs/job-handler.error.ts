/**
 * A job handler cannot be registered: its name is invalid or taken, it has nothing to execute, or the application has not
 * got its store. Fails start-up.
 */
export class JobHandlerInvalidError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'JobHandlerInvalidError';
  }
}
