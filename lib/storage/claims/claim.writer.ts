import { occurrenceKey, SYSTEM_ACTOR, type ClaimStep, type DueDecision } from '../../schedules/index.js';
import type { Transaction } from '../connections/connections.js';
import type { FireRequests } from '../schedules/fire-requests.js';
import { toNumber } from '../statements/column-values.js';
import { insertRunsSql, RUNS, type InsertedRun, type NewRun } from '../runs/new-runs.js';
import { inEachForm, RowArrays, type RowsForm } from '../statements/row-arrays.js';
import type { StoreSchema } from '../schema/store-schema.js';

const CURSORS = new RowArrays<Extract<ClaimStep, { kind: 'advance' | 'park' }>>([
  { name: 'id', type: 'uuid', valueOf: ({ schedule }) => schedule.id },
  { name: 'next', type: 'bigint', valueOf: (step) => dueOf(step)?.nextFireAtUnixMs },
  { name: 'fired', type: 'bigint', valueOf: (step) => dueOf(step)?.fireAtUnixMs },
  {
    name: 'parked',
    type: 'text',
    valueOf: (step) => (step.kind === 'park' ? step.reason : undefined),
    isMostlyShared: true,
  },
  { name: 'accounted', type: 'bigint', valueOf: (step) => dueOf(step)?.accountedUntilUnixMs },
  {
    name: 'backlog',
    type: 'bigint',
    valueOf: (step) => dueOf(step)?.backfillUntilUnixMs,
    isMostlyShared: true,
  },
]);

/** What the journal took of a claim. */
export interface WrittenClaim {
  /** The fences of the runs that it took, by id; the others were in it already. */
  readonly fences: ReadonlyMap<string, number>;
  /** What PostgreSQL calls the transaction; undefined where the journal took nothing. */
  readonly transactionId: string | undefined;
}

/** Writes what a claim plan decided, in the transaction that holds the locks. */
export class ClaimWriter {
  private readonly writeTexts: Readonly<Record<RowsForm, string>>;
  private readonly queueText: string;
  private readonly backfillText: string;

  constructor(
    schema: StoreSchema,
    private readonly requests: FireRequests,
  ) {
    this.writeTexts = inEachForm(
      (form) => `
      with advanced as (
        update ${schema.schedule} s
        set next_fire_at_unix_ms = step.next, parked_reason = step.parked,
          last_fire_at_unix_ms = greatest(step.fired, s.last_fire_at_unix_ms),
          accounted_until_unix_ms = greatest(step.accounted, s.accounted_until_unix_ms),
          backfill_until_unix_ms = coalesce(step.backlog, s.backfill_until_unix_ms)
        from (${CURSORS.selectSql(form, 2)}) step
        where s.id = step.id
      ), consumed as (
        delete from ${schema.fireRequest} where id = any($1::uuid[])
      )
      ${insertRunsSql(schema, form, 2 + CURSORS.names.length)}, pg_current_xact_id() as transaction_id`,
    );
    this.queueText = `update ${schema.fireRequest} set is_queued = true where id = any($1::uuid[])`;
    this.backfillText = `
      update ${schema.backfill} b
      set next_unix_ms = step.next, fired = b.fired + 1,
        status = case when step.next is null then 'completed' else b.status end,
        ended_at_unix_ms = case when step.next is null then $3::bigint end
      from unnest($1::uuid[], $2::bigint[]) as step (id, next) where b.id = step.id`;
  }

  async write(
    transaction: Transaction,
    steps: readonly ClaimStep[],
    runs: readonly NewRun[],
  ): Promise<WrittenClaim> {
    const { executor } = transaction;
    const moved = steps.flatMap((step) => (step.kind === 'advance' || step.kind === 'park' ? [step] : []));
    const form = [CURSORS.formOf(moved), RUNS.formOf(runs)].includes('apart') ? 'apart' : 'shared';
    const rows = await executor.query<InsertedRun & { readonly transaction_id: string }>(
      this.writeTexts[form],
      [
        steps.flatMap((step) => (step.kind === 'request' && step.fire !== 'queue' ? [step.request.id] : [])),
        ...CURSORS.values(form, moved),
        ...RUNS.values(form, runs),
      ],
      `crn_claim_write_${form}`,
    );
    await this.writeQueued(transaction, steps);
    await this.writeBackfills(transaction, steps);
    return {
      fences: new Map(rows.map(({ id, fence }) => [id, toNumber(fence)])),
      transactionId: rows[0]?.transaction_id,
    };
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

function dueOf(step: ClaimStep): DueDecision | undefined {
  return step.kind === 'advance' ? step.due : undefined;
}
