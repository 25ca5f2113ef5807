import { OutcomeStore } from '../../../lib/storage/runs/outcome.store.js';

/** Arranges that this process dies when it has recorded a success within a transaction, before that commits. */
export function dieBeforeCommit(): void {
  const { writeWithin } = OutcomeStore.prototype;
  OutcomeStore.prototype.writeWithin = async function (this: OutcomeStore, transaction, nodeId, outcomes) {
    const written = await writeWithin.call(this, transaction, nodeId, outcomes);
    if (outcomes.some(({ status }) => status === 'succeeded')) {
      process.kill(process.pid, 'SIGKILL');
    }
    return written;
  };
}
