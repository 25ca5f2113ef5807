import { Inject, Injectable } from '@nestjs/common';
import { StoreDisabledError } from '../../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage, type Transaction } from '../../storage/index.js';

/** Reads the store, with the store's time, on the connections of the manager. */
@Injectable()
export class StoreReader {
  constructor(@Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined) {}

  /** @throws StoreDisabledError (2705) where the module is imported with `enabled: false`. */
  refuseDisabled(): Storage {
    if (this.storage === undefined) {
      throw new StoreDisabledError();
    }
    return this.storage;
  }

  /** Runs work that only reads, in one transaction. @throws StoreDisabledError (2705) where there is nothing to read. */
  async read<Result>(work: (storage: Storage, transaction: Transaction) => Promise<Result>): Promise<Result> {
    const storage = this.refuseDisabled();
    return storage.connections.transaction('manager', (transaction) => work(storage, transaction));
  }
}
