/**
 * Base of every error this package throws on purpose. `code` is stable and is also the code of the HTTP API;
 * `message` is a sentence that says what to change. Test with `instanceof`, or by `code` across package copies.
 */
export abstract class CronStoreError extends Error {
  /** Stable number of the error's kind: 2700–2799, and 2001 for a run that does not exist. */
  abstract readonly code: number;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
