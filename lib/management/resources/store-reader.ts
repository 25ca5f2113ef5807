import { Inject, Injectable } from '@nestjs/common';
import { StoreDisabledError } from '../../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage, type Transaction } from '../../storage/index.js';

/** Reads the store for the management API, with the store's time. */
@Injectable()
export class StoreReader {
  constructor(@Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined) {}

  /** @throws StoreDisabledError where there is no store to read. */
  async read<Result>(work: (storage: Storage, transaction: Transaction) => Promise<Result>): Promise<Result> {
    const { storage } = this;
    if (storage === undefined) {
      throw new StoreDisabledError();
    }
    return storage.connections.transaction('manager', (transaction) => work(storage, transaction));
  }
}
