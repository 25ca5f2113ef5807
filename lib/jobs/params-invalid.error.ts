/**
 * A schedule's params do not fit the class that the handler declares. The run is journaled `failed` with this message;
 * change the schedule's params, or the class.
 */
export class ParamsInvalidError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'ParamsInvalidError';

  /**
   * @param typeName the class that the params should become.
   * @param faults what is wrong, each with the path of its field.
   */
  constructor(
    typeName: string,
    readonly faults: readonly string[],
    options?: ErrorOptions,
  ) {
    super(`The params do not fit ${typeName}: ${faults.join('; ')}.`, options);
  }
}
