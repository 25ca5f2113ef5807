import { ClaimStore } from '../../../lib/storage/claims/claim.store.js';

/** Arranges that this process dies as soon as a claim of runs has committed, before any of them is started. */
export function dieAfterFirstClaim(): void {
  const { claim } = ClaimStore.prototype;
  ClaimStore.prototype.claim = async function (this: ClaimStore, rules) {
    const result = await claim.call(this, rules);
    if (result.claimed.length > 0) {
      process.kill(process.pid, 'SIGKILL');
    }
    return result;
  };
}
