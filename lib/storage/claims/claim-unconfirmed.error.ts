import type { ClaimResult } from './claim-result.js';

/** The commit of a claim was sent and not answered: only the database knows whether it happened. */
export class ClaimUnconfirmedError extends Error {
  override readonly name = 'ClaimUnconfirmedError';

  /** @param result what was claimed, if it was. */
  constructor(
    readonly result: ClaimResult,
    cause: unknown,
  ) {
    super(`The commit of a claim was not answered: ${String(cause)}`, { cause });
  }
}
