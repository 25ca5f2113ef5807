import { CronStoreError } from '../cron-store.error.js';
import { quoteName } from './quote-name.js';

/** Neither this process nor any live node registers the job; where the job is to be held, no schedule has it either. */
export class JobNotRegisteredError extends CronStoreError {
  override readonly name = 'JobNotRegisteredError';
  readonly code = 2704;

  constructor(jobName: string, registered: readonly string[]) {
    const known = registered.length > 0 ? registered.map(quoteName).join(', ') : 'none';
    super(
      `No job handler named ${quoteName(jobName)} is registered in this process or on a live node. Registered: ${known}.`,
    );
  }
}
