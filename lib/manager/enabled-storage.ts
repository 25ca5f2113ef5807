import { StoreDisabledError } from '../schedules/index.js';
import type { Storage } from '../storage/index.js';

/**
 * The storage, where there is one.
 *
 * @throws StoreDisabledError (2705) where the module is imported with `enabled: false`.
 */
export function enabledStorage(storage: Storage | undefined): Storage {
  if (storage === undefined) {
    throw new StoreDisabledError();
  }
  return storage;
}
