/** What is provided as a run interceptor or claim observer cannot be used as one. Fails start-up. */
export class ExtensionInvalidError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'ExtensionInvalidError';
}
