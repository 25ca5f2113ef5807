import type { ConnectionExecutor } from '../../../../lib/storage/connections/executor.js';

/** Knows the commits of claims among the statements of a store, of which it is to be asked one by one. */
export class ClaimCommits {
  private readonly claiming = new WeakSet<ConnectionExecutor>();

  /** Whether a statement commits what a claim has written, on the connection of the claim. */
  isOne(executor: ConnectionExecutor, text: string, name: string | undefined): boolean {
    if (name?.startsWith('crn_claim_write_')) {
      this.claiming.add(executor);
    }
    return text === 'commit' && this.claiming.has(executor);
  }
}
