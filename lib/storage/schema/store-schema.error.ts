/** The tables are missing, incomplete, older than this version needs, or closed to the role. Nothing was changed. */
export class StoreSchemaError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'StoreSchemaError';
}
