import {
  isMisfiredCandidate,
  planClaim,
  type ClaimCandidate,
  type ClaimStep,
  type RunStatus,
} from '../../schedules/index.js';
import type { CancelRequests } from '../runs/cancel-requests.js';
import type { ClaimCandidatesStore, ClaimOutlook } from './claim-candidates.store.js';
import { journalStep } from './claim-journal.js';
import { journaledIds, NOTHING_CLAIMED, sortOut, type ClaimResult } from './claim-result.js';
import { ClaimUnconfirmedError } from './claim-unconfirmed.error.js';
import { ClaimWriter } from './claim.writer.js';
import type { Connections, Transaction } from '../connections/connections.js';
import type { EnvironmentStore } from '../environment.store.js';
import type { FireRequests } from '../schedules/fire-requests.js';
import type { StoreSchema } from '../schema/store-schema.js';
import { LAST_ID, smallestIdAt } from '../statements/identifiers.js';
import { onlyRow } from '../statements/only-row.js';
import type { TakenOverRun, Takeover } from '../runs/takeover.js';

/** What a node asks for when it claims. */
export interface ClaimRules {
  readonly nodeId: string;
  /** Jobs registered on this node; schedules of others stay due and untouched. */
  readonly jobNames: readonly string[];
  /** Free slots, at least 1: never more runs than this are claimed, nor more candidates of each kind locked. */
  readonly slots: number;
  readonly misfireThresholdMs: number;
  readonly abandonedAfterMs: number;
  readonly maxRecoveries: number;
  /** Whether this node may declare others dead, asked with the store's now under the transaction. */
  readonly mayTakeOver: (nowUnixMs: number) => boolean;
}

/** The parts that a claim is put together from. */
export interface ClaimParts {
  readonly connections: Connections;
  readonly environment: EnvironmentStore;
  readonly candidates: ClaimCandidatesStore;
  readonly takeover: Takeover;
  readonly requests: FireRequests;
  readonly cancelRequests: CancelRequests;
}

/**
 * Claims fires. Everything a claim does (cursors, journal rows, consumed requests, takeovers) commits in one
 * transaction or not at all.
 *
 * Each fire is claimed by exactly one node: the row lock of its schedule serialises every claim of that schedule, the
 * cursor that the winner advanced is no longer due for whoever comes next, and the unique index on (schedule,
 * occurrence) of the journal refuses a second run even where a cursor was moved back.
 */
export class ClaimStore {
  private readonly writer: ClaimWriter;
  private readonly runningText: string;
  private readonly queuedText: string;
  private readonly journaledThroughText: string;
  private readonly isUnderWayText: string;
  private readonly confirmText: string;

  constructor(
    schema: StoreSchema,
    private readonly parts: ClaimParts,
  ) {
    this.writer = new ClaimWriter(schema, parts.requests);
    // Statements of their own after the locks: their snapshot sees every run that another node claimed under them.
    this.runningText = `
      select id, schedule_id, heartbeat_at_unix_ms from ${schema.run}
      where status = 'running' and schedule_id = any($1::uuid[])`;
    this.queuedText = `
      select schedule_id from ${schema.fireRequest} where is_queued and schedule_id = any($1::uuid[])`;
    // A missed run covers everything up to its claim, behind it there is at most the one that was caught up; but what a
    // backfill limit passes over comes before what is still owed. Whatever covers the cursor was claimed after it, and
    // ids sort by claim, as occurrences of a schedule are claimed. Compared as pairs, they stay in `crn_run_schedule_idx`.
    this.journaledThroughText = `
      select schedule.id, (
        select max(case when latest.status = 'missed' and latest.reason is distinct from 'backfill_limit'
          then latest.claimed_at_unix_ms
          else latest.scheduled_at_unix_ms end)
        from (
          select r.status, r.reason, r.scheduled_at_unix_ms, r.claimed_at_unix_ms from ${schema.run} r
          where (r.schedule_id, r.id) >= (schedule.id, schedule.first_run_id)
            and (r.schedule_id, r.id) <= (schedule.id, '${LAST_ID}'::uuid) and r.origin = 'schedule'
          order by r.schedule_id desc, r.id desc limit 2
        ) latest
      ) as through
      from unnest($1::uuid[], $2::uuid[]) as schedule (id, first_run_id)`;
    // A failover that lost the claim may have lost the number of its transaction with it. PostgreSQL refuses to be asked
    // about a number that it has not come to yet: one that is not below that of the transaction which asks.
    // A standby, which may not have heard of the claim yet, gives no transaction a number, and so answers with an error.
    this.isUnderWayText = `
      select case when $1::xid8 < pg_current_xact_id() then pg_xact_status($1::xid8) = 'in progress' else false end
        as is_under_way`;
    this.confirmText = `select id, status from ${schema.run} where id = any($1::uuid[])`;
  }

  /**
   * Claims what is due, up to the node's free slots.
   *
   * @throws StoreEnvironmentError (2708) when the store is another environment's; ClaimUnconfirmedError when runs were claimed and the commit was not answered.
   */
  async claim(rules: ClaimRules): Promise<ClaimResult> {
    const attempt: { result?: ClaimResult } = {};
    try {
      const { environment, candidates } = this.parts;
      return await environment.transactionAsking(
        'engine',
        candidates.outlook,
        async (transaction, outlook) => {
          attempt.result = await this.claimWithin(transaction, outlook, rules);
          return attempt.result;
        },
      );
    } catch (error) {
      const { result } = attempt;
      throw result === undefined || journaledIds(result).length === 0
        ? error
        : new ClaimUnconfirmedError(result, error);
    }
  }

  /**
   * Finds out what became of a claim whose commit was not answered.
   *
   * @returns what is to be started and told now: nothing when it did not commit, and no run that was taken over since.
   * @throws ClaimUnconfirmedError while the server has not decided: it may wait for its disk, or for a standby.
   */
  async confirm(claim: ClaimResult): Promise<ClaimResult> {
    return this.parts.connections.transaction('engine', async ({ executor }) => {
      const { is_under_way: isUnderWay } = onlyRow(
        await executor.query<{ is_under_way: boolean }>(this.isUnderWayText, [claim.transactionId]),
      );
      if (isUnderWay) {
        throw new ClaimUnconfirmedError(claim, 'The server still has it under way.');
      }
      const rows = await executor.query<{ id: string; status: RunStatus }>(this.confirmText, [
        journaledIds(claim),
      ]);
      if (rows.length === 0) {
        return NOTHING_CLAIMED;
      }
      const runningIds = new Set(rows.filter(({ status }) => status === 'running').map(({ id }) => id));
      return { ...claim, claimed: claim.claimed.filter(({ run }) => runningIds.has(run.id)) };
    });
  }

  private async claimWithin(
    transaction: Transaction,
    outlook: ClaimOutlook,
    rules: ClaimRules,
  ): Promise<ClaimResult> {
    const { executor, nowUnixMs } = transaction;
    const candidates = await this.parts.candidates.lock(executor, outlook, {
      jobNames: rules.jobNames,
      nowUnixMs,
      misfireThresholdMs: rules.misfireThresholdMs,
      limit: rules.slots,
    });
    if (candidates.length === 0) {
      return NOTHING_CLAIMED;
    }
    const { activeScheduleIds, takenOver } = await this.settleActiveRuns(transaction, candidates, rules);
    const steps = planClaim({
      candidates,
      activeScheduleIds,
      queuedScheduleIds: await this.queued(transaction, candidates),
      journaledThroughUnixMs: await this.journaledThrough(transaction, candidates, rules),
      nowUnixMs,
      misfireThresholdMs: rules.misfireThresholdMs,
      slots: rules.slots,
    });
    return { ...(await this.write(transaction, steps, rules)), takenOver };
  }

  /** Takes over stale runs of the candidates before the concurrency policy looks at what is running. */
  private async settleActiveRuns(
    { executor, nowUnixMs }: Transaction,
    candidates: readonly ClaimCandidate[],
    rules: ClaimRules,
  ): Promise<{ activeScheduleIds: ReadonlySet<string>; takenOver: TakenOverRun[] }> {
    const exclusiveIds = scheduleIdsOf(
      candidates.filter(({ schedule }) => schedule.concurrencyPolicy !== 'allow'),
    );
    if (exclusiveIds.length === 0) {
      return { activeScheduleIds: new Set(), takenOver: [] };
    }
    const running = await executor.query<{
      id: string;
      schedule_id: string;
      heartbeat_at_unix_ms: number;
    }>(this.runningText, [exclusiveIds], 'crn_claim_running');
    const staleBeforeUnixMs = nowUnixMs - rules.abandonedAfterMs;
    const stale = running.filter((run) => run.heartbeat_at_unix_ms < staleBeforeUnixMs);
    const takenOver =
      stale.length > 0 && rules.mayTakeOver(nowUnixMs)
        ? await this.parts.takeover.takeOverStale(executor, {
            runIds: stale.map((run) => run.id),
            staleBeforeUnixMs,
            nowUnixMs,
            maxRecoveries: rules.maxRecoveries,
          })
        : [];
    const endedIds = new Set(takenOver.map(({ run }) => run.id));
    const active = running.filter((run) => !endedIds.has(run.id));
    return { activeScheduleIds: new Set(active.map((run) => run.schedule_id)), takenOver };
  }

  private async queued(
    { executor }: Transaction,
    candidates: readonly ClaimCandidate[],
  ): Promise<ReadonlySet<string>> {
    const queueingIds = scheduleIdsOf(
      candidates.filter(({ schedule }) => schedule.concurrencyPolicy === 'queue'),
    );
    if (queueingIds.length === 0) {
      return new Set();
    }
    const rows = await executor.query<{ schedule_id: string }>(
      this.queuedText,
      [queueingIds],
      'crn_claim_queued',
    );
    return new Set(rows.map((row) => row.schedule_id));
  }

  private async journaledThrough(
    { executor, nowUnixMs }: Transaction,
    candidates: readonly ClaimCandidate[],
    { misfireThresholdMs }: ClaimRules,
  ): Promise<ReadonlyMap<string, number>> {
    // A schedule has one cursor, so that it is among these once.
    const misfired = candidates.filter((candidate) =>
      isMisfiredCandidate(candidate, { nowUnixMs, misfireThresholdMs }),
    );
    if (misfired.length === 0) {
      return new Map();
    }
    const rows = await executor.query<{ id: string; through: number | null }>(
      this.journaledThroughText,
      [
        misfired.map(({ schedule }) => schedule.id),
        misfired.map(({ cursorUnixMs }) => smallestIdAt(cursorUnixMs)),
      ],
      'crn_claim_journaled_through',
    );
    return new Map(rows.flatMap(({ id, through }) => (through === null ? [] : [[id, through] as const])));
  }

  private async write(
    transaction: Transaction,
    steps: readonly ClaimStep[],
    { nodeId }: ClaimRules,
  ): Promise<Omit<ClaimResult, 'takenOver'>> {
    const { nowUnixMs } = transaction;
    const journaled = steps.flatMap((step) => journalStep(step, { nodeId, nowUnixMs }));
    const { fences, transactionId } = await this.writer.write(
      transaction,
      steps,
      journaled.map(({ run }) => run),
    );
    await this.parts.cancelRequests.requestReplaced(
      transaction,
      steps.flatMap((step) => (step.kind === 'replace' ? [step.schedule.id] : [])),
    );
    return { ...sortOut(journaled, fences), transactionId };
  }
}

function scheduleIdsOf(candidates: readonly ClaimCandidate[]): string[] {
  return [...new Set(candidates.map(({ schedule }) => schedule.id))];
}
