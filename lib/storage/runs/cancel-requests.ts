import type { RunReason } from '../../schedules/index.js';
import type { Transaction } from '../connections/connections.js';
import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';
import type { WakeUp } from '../wake-ups/wake-up.js';

/** Why running runs are asked to end, and by whom. */
export interface CancelCause {
  readonly reason: Extract<RunReason, 'operator' | 'replaced'>;
  readonly actor?: string;
}

/** Asks running runs to end: their nodes abort them, and journal them as canceled. They are not recovered. */
export class CancelRequests {
  private readonly byScheduleText: string;
  private readonly byIdText: string;

  constructor(
    schema: StoreSchema,
    private readonly wakeUp: WakeUp,
  ) {
    // Asked for once: who comes later adds nothing. Locked in id order, as heartbeats and outcomes do.
    const cancelText = (condition: string) => `
      with running as (
        select id from ${schema.run} where ${condition} and status = 'running' order by id for update
      )
      update ${schema.run} r
      set cancel_requested_at_unix_ms = $2, cancel_reason = $3, canceled_by = $4
      from running where r.id = running.id and r.cancel_requested_at_unix_ms is null
      returning r.id`;
    this.byScheduleText = cancelText('schedule_id = any($1::uuid[])');
    this.byIdText = cancelText('id = any($1::uuid[])');
  }

  /** Asks every running run of schedules, which the caller holds locked. @returns how many were asked. */
  async requestOfSchedules(
    transaction: Transaction,
    scheduleIds: readonly string[],
    cause: CancelCause,
  ): Promise<number> {
    return this.request(transaction, this.byScheduleText, scheduleIds, cause);
  }

  /** Asks one run. @returns whether it was running, and not asked before. */
  async requestOfRun(transaction: Transaction, runId: string, cause: CancelCause): Promise<boolean> {
    return (await this.request(transaction, this.byIdText, [runId], cause)) > 0;
  }

  private async request(
    { executor, nowUnixMs }: { readonly executor: Executor; readonly nowUnixMs: number },
    text: string,
    ids: readonly string[],
    cause: CancelCause,
  ): Promise<number> {
    if (ids.length === 0) {
      return 0;
    }
    const rows = await executor.query(text, [ids, nowUnixMs, cause.reason, cause.actor ?? null]);
    if (rows.length > 0) {
      await this.wakeUp.send(executor, 'cancel');
    }
    return rows.length;
  }
}
