import type { Executor } from './executor.js';
import type { StoreSchema } from './store-schema.js';

/**
 * Tells every node that there may be something new to claim. Sent in the transaction of the change, so that it is
 * delivered when the change is visible, and not at all when it is rolled back.
 */
export class WakeUp {
  constructor(private readonly schema: StoreSchema) {}

  async send(executor: Executor): Promise<void> {
    await executor.query(`select pg_notify($1, '')`, [this.schema.channel]);
  }
}
