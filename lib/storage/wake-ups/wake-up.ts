import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What a wake-up is about: something to claim, or runs that are asked to end. */
export type WakeUpKind = 'claim' | 'cancel';

/**
 * Tells every node that there may be something new to do. Sent in the transaction of the change, so that it is delivered
 * when the change is visible, and not at all when it is rolled back.
 */
export class WakeUp {
  constructor(private readonly schema: StoreSchema) {}

  async send(executor: Executor, kind: WakeUpKind = 'claim'): Promise<void> {
    await executor.query('select pg_notify($1, $2)', [this.schema.channel, kind]);
  }
}
