/** What is provided as a run interceptor or claim observer cannot be used as one. Fails start-up. */
export class ExtensionInvalidError extends Error {
  override readonly name = 'ExtensionInvalidError';
}
