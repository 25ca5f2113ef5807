/**
 * The options of `CronStoreModule` cannot be used. Names every fault, not only the first. Thrown at start-up, and by
 * health checks for their thresholds.
 */
export class CronStoreOptionsError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'CronStoreOptionsError';

  /**
   * @param faults one sentence for each fault, each saying what to change.
   * @param consequence what cannot be done because of them.
   */
  constructor(
    readonly faults: readonly string[],
    consequence = 'CronStoreModule cannot start with these options',
  ) {
    super(`${consequence}:\n${faults.map((fault) => `- ${fault}`).join('\n')}`);
  }
}
