import type { RunReason } from '../../schedules/index.js';
import type { Transaction } from '../connections/connections.js';
import type { StoreSchema } from '../schema/store-schema.js';
import type { WakeUp } from '../wake-ups/wake-up.js';

/** Why running runs are asked to end, and by whom. */
export interface CancelRequest {
  readonly reason: Extract<RunReason, 'operator' | 'replaced'>;
  readonly actor?: string;
}

/** Asks running runs to end: their nodes abort them, and journal them as canceled. They are not recovered. */
export class CancelRequests {
  private readonly byScheduleText: string;
  private readonly byIdText: string;
  private readonly replacedText: string;

  constructor(
    schema: StoreSchema,
    private readonly wakeUp: WakeUp,
  ) {
    // Asked for once: who comes later adds nothing. Locked in id order, as heartbeats and outcomes do.
    const cancelText = (condition: string, wait: '' | 'skip locked' = '') => `
      with running as (
        select id from ${schema.run} where ${condition} and status = 'running' order by id for update ${wait}
      )
      update ${schema.run} r
      set cancel_requested_at_unix_ms = $2, cancel_reason = $3, canceled_by = $4
      from running where r.id = running.id and r.cancel_requested_at_unix_ms is null
      returning r.id`;
    this.byScheduleText = cancelText('schedule_id = any($1::uuid[])');
    this.byIdText = cancelText('id = any($1::uuid[])');
    // A claim waits for no run: one that is locked, maybe by the commit of its transactional handler, would hold up every
    // other schedule of the batch. The occurrence stays due, so that the next claim asks again.
    this.replacedText = cancelText('schedule_id = any($1::uuid[])', 'skip locked');
  }

  /** Asks every running run of a schedule, which the caller holds locked. @returns how many were asked. */
  async requestOfSchedule(transaction: Transaction, scheduleId: string, actor: string): Promise<number> {
    return this.request(transaction, this.byScheduleText, [scheduleId], { reason: 'operator', actor });
  }

  /** Asks one run. @returns whether it was running, and not asked before. */
  async requestOfRun(transaction: Transaction, runId: string, actor: string): Promise<boolean> {
    return (await this.request(transaction, this.byIdText, [runId], { reason: 'operator', actor })) > 0;
  }

  /** Asks every running run of schedules that the next fire replaces, and that nobody else has locked. */
  async requestReplaced(transaction: Transaction, scheduleIds: readonly string[]): Promise<void> {
    await this.request(transaction, this.replacedText, scheduleIds, { reason: 'replaced' });
  }

  private async request(
    { executor, nowUnixMs }: Transaction,
    text: string,
    ids: readonly string[],
    request: CancelRequest,
  ): Promise<number> {
    if (ids.length === 0) {
      return 0;
    }
    const rows = await executor.query(text, [ids, nowUnixMs, request.reason, request.actor ?? null]);
    if (rows.length > 0) {
      await this.wakeUp.send(executor, 'cancel');
    }
    return rows.length;
  }
}
