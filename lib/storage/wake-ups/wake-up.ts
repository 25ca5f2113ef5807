import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** What a wake-up is about: something to claim, or runs that are asked to end. */
export type WakeUpKind = 'claim' | 'cancel';

/** What a node hears. Unknown is whatever there may be: a word of another version, or wake-ups that were lost. */
export type HeardWakeUp = WakeUpKind | 'unknown';

/** Reads what was sent: while versions change, by a version that may know other kinds. */
export function heardWakeUp(payload: string | undefined): HeardWakeUp {
  return payload === 'claim' || payload === 'cancel' ? payload : 'unknown';
}

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
