import { CronStoreError } from '../cron-store.error.js';
import { preview } from './preview.js';

/** No run has this id; the code is that of a record that is not found. */
export class RunNotFoundError extends CronStoreError {
  override readonly name = 'RunNotFoundError';
  readonly code = 2001;

  constructor(id: unknown) {
    super(`There is no run with the id ${preview(id)}.`);
  }
}
