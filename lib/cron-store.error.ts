/**
 * Base of the errors that refuse what a caller asks for. `code` is stable and is also the code of the HTTP API; `message` is
 * a sentence that says what to change. Test with `instanceof`, or by `code` across package copies.
 *
 * No `CronStoreError`, and without a code, are the errors that only fail start-up (`CronStoreOptionsError`,
 * `JobHandlerInvalidError`, `ExtensionInvalidError`, `StoreSchemaError`) and those that belong to a run
 * (`ParamsInvalidError`, `RunAbortedError`).
 */
export abstract class CronStoreError extends Error {
  /** The name of the class, also where code is minified. */
  abstract override readonly name: string;
  /** Stable number of the error's kind: 2700–2799, and 2001 for a run that does not exist. */
  abstract readonly code: number;
}
