import { OutcomeStore } from '../../../lib/storage/runs/outcome.store.js';

/** Arranges that this process dies when it has recorded a success within a transaction, before that commits. */
export function dieBeforeCommit(): void {
  const { writeWithin } = OutcomeStore.prototype;
  OutcomeStore.prototype.writeWithin = async function (this: OutcomeStore, executor, nodeId, outcome) {
    await writeWithin.call(this, executor, nodeId, outcome);
    process.kill(process.pid, 'SIGKILL');
    return true;
  };
}
