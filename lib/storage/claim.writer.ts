import { occurrenceKey, SYSTEM_ACTOR, type ClaimStep } from '../schedules/index.js';
import type { Transaction } from './connections.js';
import type { FireRequests } from './fire-requests.js';
import { toNumber } from './column-values.js';
import { insertRunsSql, insertRunsValues, type InsertedRun, type NewRun } from './new-runs.js';
import type { StoreSchema } from './store-schema.js';

/** Writes what a claim plan decided, in the transaction that holds the locks. */
export class ClaimWriter {
  private readonly writeText: string;
  private readonly queueText: string;
  private readonly backfillText: string;

  constructor(
    schema: StoreSchema,
    private readonly requests: FireRequests,
  ) {
    this.writeText = `
      with advanced as (
        update ${schema.schedule} s
        set next_fire_at_unix_ms = step.next, parked_reason = step.parked,
          last_fire_at_unix_ms = greatest(step.fired, s.last_fire_at_unix_ms),
          accounted_until_unix_ms = greatest(step.accounted, s.accounted_until_unix_ms),
          backfill_until_unix_ms = coalesce(step.backlog, s.backfill_until_unix_ms)
        from unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::text[], $5::bigint[], $6::bigint[])
          as step (id, next, fired, parked, accounted, backlog)
        where s.id = step.id
      ), consumed as (
        delete from ${schema.fireRequest} where id = any($7::uuid[])
      )
      ${insertRunsSql(schema, 8)}`;
    this.queueText = `update ${schema.fireRequest} set is_queued = true where id = any($1::uuid[])`;
    this.backfillText = `
      update ${schema.backfill} b
      set next_unix_ms = step.next, fired = b.fired + 1,
        status = case when step.next is null then 'completed' else b.status end,
        ended_at_unix_ms = case when step.next is null then $3::bigint end
      from unnest($1::uuid[], $2::bigint[]) as step (id, next) where b.id = step.id`;
  }

  /** @returns the fences of the runs that the journal took, by id; the others were in it already. */
  async write(
    transaction: Transaction,
    steps: readonly ClaimStep[],
    runs: readonly NewRun[],
  ): Promise<ReadonlyMap<string, number>> {
    const { executor } = transaction;
    const moved = steps.flatMap((step) => (step.kind === 'advance' || step.kind === 'park' ? [step] : []));
    const dues = moved.map((step) => (step.kind === 'advance' ? step.due : undefined));
    const rows = await executor.query<InsertedRun>(
      this.writeText,
      [
        moved.map((step) => step.schedule.id),
        dues.map((due) => due?.nextFireAtUnixMs ?? null),
        dues.map((due) => due?.fireAtUnixMs ?? null),
        moved.map((step) => (step.kind === 'park' ? step.reason : null)),
        dues.map((due) => due?.accountedUntilUnixMs ?? null),
        dues.map((due) => due?.backfillUntilUnixMs ?? null),
        steps.flatMap((step) => (step.kind === 'request' && step.fire !== 'queue' ? [step.request.id] : [])),
        ...insertRunsValues(runs),
      ],
      'crn_claim_write',
    );
    await this.writeQueued(transaction, steps);
    await this.writeBackfills(transaction, steps);
    return new Map(rows.map(({ id, fence }) => [id, toNumber(fence)]));
  }

  private async writeQueued(
    { executor, nowUnixMs }: Transaction,
    steps: readonly ClaimStep[],
  ): Promise<void> {
    const requestIds = steps.flatMap((step) =>
      step.kind === 'request' && step.fire === 'queue' ? [step.request.id] : [],
    );
    if (requestIds.length > 0) {
      await executor.query(this.queueText, [requestIds]);
    }
    for (const step of steps) {
      if (step.kind === 'advance' && step.fire === 'queue' && step.due.fireAtUnixMs !== undefined) {
        const { fireAtUnixMs } = step.due;
        await this.requests.add(executor, {
          scheduleId: step.schedule.id,
          origin: 'schedule',
          scheduledAtUnixMs: fireAtUnixMs,
          occurrenceAtUnixMs: fireAtUnixMs,
          idempotencyKey: occurrenceKey(step.schedule.id, fireAtUnixMs),
          isQueued: true,
          nowUnixMs,
          actor: SYSTEM_ACTOR.id,
        });
      }
    }
  }

  private async writeBackfills(
    { executor, nowUnixMs }: Transaction,
    steps: readonly ClaimStep[],
  ): Promise<void> {
    const backfills = steps.flatMap((step) => (step.kind === 'backfill' ? [step] : []));
    if (backfills.length > 0) {
      await executor.query(
        this.backfillText,
        [
          backfills.map((step) => step.backfill.id),
          backfills.map((step) => step.nextUnixMs ?? null),
          nowUnixMs,
        ],
        'crn_claim_write_backfills',
      );
    }
  }
}
