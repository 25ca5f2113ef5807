import type { TransactionalExecution } from '../../../lib/index.js';
import { executeJob } from './job.js';
import type { Behaviour } from './protocol.js';
import type { Recorder } from './recorder.js';

/** Executes one run as its job's behaviour says, between two rows of its transaction. */
export async function executeTransactionalJob(
  behaviour: Behaviour,
  execution: TransactionalExecution,
  recorder: Recorder,
): Promise<void> {
  await write(execution, 'before');
  await executeJob(behaviour, execution, recorder);
  await write(execution, 'after');
}

async function write({ manager, runId }: TransactionalExecution, step: string): Promise<void> {
  await manager.query('insert into cluster_effect (run_id, step) values ($1, $2)', [runId, step]);
}
