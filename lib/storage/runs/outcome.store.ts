import type { RunReason, TerminalRunStatus } from '../../schedules/index.js';
import type { Connections } from '../connections/connections.js';
import type { FireRequests, RunToRepeat } from '../schedules/fire-requests.js';
import type { Executor } from '../connections/executor.js';
import { isRunning } from './is-running.js';
import { inEachForm, RowArrays, type RowsForm } from '../statements/row-arrays.js';
import type { StoreSchema } from '../schema/store-schema.js';

/** Longest error text that is journaled, in UTF-16 code units. */
export const MAX_ERROR_LENGTH = 8_000;

/** How a run ended on the node that executed it. */
export interface RunOutcome {
  readonly runId: string;
  readonly scheduleId: string;
  readonly status: Extract<TerminalRunStatus, 'succeeded' | 'failed' | 'canceled'>;
  readonly reason?: RunReason;
  readonly startedAtUnixMs: number;
  readonly finishedAtUnixMs: number;
  readonly durationMs: number;
  readonly error?: string;
  /** The run's own span, as a `traceparent`. */
  readonly traceParent?: string;
  /** How long after this outcome the run is tried again; absent where it is not. */
  readonly retryAfterMs?: number;
}

/** An outcome that the journal has already. */
export interface StandingOutcome {
  readonly status: RunOutcome['status'];
  /** Whether the run will be fired again, or was. */
  readonly isRepeated: boolean;
}

/** What became of outcomes when they were written. */
export interface WrittenOutcomes {
  /** Runs whose outcome is in the journal now; any other was over already and keeps what it has. */
  readonly writtenIds: ReadonlySet<string>;
  /** Of the others, those that this node itself had ended: by a write or a commit of which it got no answer. */
  readonly standing: ReadonlyMap<string, StandingOutcome>;
  /** Runs that will be fired again: canceled by shutdown with `recover`, or failed with an attempt left. */
  readonly repeatedIds: ReadonlySet<string>;
  /** Runs of which nothing was written yet, because somebody has their schedule locked: to be written again. */
  readonly waitingIds: ReadonlySet<string>;
}

const OUTCOMES = new RowArrays<RunOutcome>([
  { name: 'id', type: 'uuid', valueOf: (outcome) => outcome.runId },
  { name: 'status', type: 'text', valueOf: (outcome) => outcome.status, isMostlyShared: true },
  { name: 'reason', type: 'text', valueOf: (outcome) => outcome.reason, isMostlyShared: true },
  { name: 'started', type: 'bigint', valueOf: (outcome) => outcome.startedAtUnixMs },
  { name: 'finished', type: 'bigint', valueOf: (outcome) => outcome.finishedAtUnixMs },
  { name: 'duration', type: 'bigint', valueOf: (outcome) => outcome.durationMs },
  { name: 'error', type: 'text', valueOf: (outcome) => outcome.error, isMostlyShared: true },
  { name: 'trace_parent', type: 'text', valueOf: (outcome) => outcome.traceParent },
]);

/** Writes how runs ended. */
export class OutcomeStore {
  private readonly lockSchedulesText: string;
  private readonly writeTexts: Readonly<Record<RowsForm, string>>;
  private readonly standingText: string;

  constructor(
    schema: StoreSchema,
    private readonly connections: Connections,
    private readonly requests: FireRequests,
  ) {
    // What somebody else has locked is left out: a batch waits for none of its schedules. One that was deleted needs no
    // lock, as nothing is requested for it.
    this.lockSchedulesText = `
      with kept as (
        select id from ${schema.schedule} where id = any($1::uuid[]) order by id for key share skip locked
      )
      select candidate.id from unnest($1::uuid[]) as candidate (id)
      where exists (select from kept where kept.id = candidate.id)
        or not exists (select from ${schema.schedule} s where s.id = candidate.id)`;
    // Compare-and-set on "running, and mine": a run that recovery took over is not overwritten by its late executor.
    // Locked one by one in the order in which they are sent, which is that of their ids, as takeovers do.
    this.writeTexts = inEachForm(
      (form) => `
      update ${schema.run} r
      set status = outcome.status, reason = outcome.reason, started_at_unix_ms = outcome.started,
        finished_at_unix_ms = outcome.finished, duration_ms = outcome.duration, error = outcome.error,
        trace_parent = coalesce(outcome.trace_parent, r.trace_parent)
      from (${OUTCOMES.selectSql(form, 2)}) outcome cross join lateral (
        select id from ${schema.run} mine
        where mine.id = outcome.id and ${isRunning('mine')} and mine.node_id = $1
        for update
      ) mine
      where r.id = mine.id
      returning r.id`,
    );
    // Only an outcome has a duration: a takeover that found a cancellation leaves the node's id and `canceled` as well, and
    // has told of it already.
    this.standingText = `
      select r.id, r.status, exists (select from ${schema.fireRequest} q where q.repeats_run_id = r.id)
        or exists (select from ${schema.run} again where again.repeats_run_id = r.id) as is_repeated
      from ${schema.run} r
      where r.id = any($1::uuid[]) and r.node_id = $2 and r.duration_ms is not null
        and r.status in ('succeeded', 'failed', 'canceled')`;
  }

  /** Journals the outcomes of this node's runs, and requests the repetition of those that are owed one. */
  async write(nodeId: string, outcomes: readonly RunOutcome[]): Promise<WrittenOutcomes> {
    // What needs no schedule goes first and on its own, so that nothing that befalls a repetition befalls it.
    const finalIds = await this.record(
      this.connections.executor('engine'),
      nodeId,
      outcomes.filter((outcome) => !mayRepeat(outcome)),
    );
    const { writtenIds, repeatedIds, waitingIds } = await this.writeRepeatable(
      nodeId,
      outcomes.filter(mayRepeat),
    );
    const refused = outcomes.filter(
      ({ runId }) => !finalIds.has(runId) && !writtenIds.has(runId) && !waitingIds.has(runId),
    );
    return {
      writtenIds: new Set([...finalIds, ...writtenIds]),
      repeatedIds,
      waitingIds,
      standing: await this.standing(nodeId, refused),
    };
  }

  /**
   * Journals an outcome that is not repeated as a part of a transaction, the caller's.
   *
   * @returns false where the run is over, or another node's.
   */
  async writeWithin(executor: Executor, nodeId: string, outcome: RunOutcome): Promise<boolean> {
    const writtenIds = await this.record(executor, nodeId, [outcome]);
    return writtenIds.has(outcome.runId);
  }

  private async writeRepeatable(
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<Omit<WrittenOutcomes, 'standing'>> {
    if (outcomes.length === 0) {
      return { writtenIds: new Set(), repeatedIds: new Set(), waitingIds: new Set() };
    }
    return this.connections.transaction('engine', async ({ executor, nowUnixMs }) => {
      const keptIds = await this.keepSchedules(executor, outcomes);
      const kept = outcomes.filter(({ scheduleId }) => keptIds.has(scheduleId));
      const writtenIds = await this.record(executor, nodeId, kept);
      const repeatedIds = await this.requests.repeat(
        executor,
        kept.filter(({ runId }) => writtenIds.has(runId)).map((outcome) => repetitionOf(outcome, nowUnixMs)),
        nowUnixMs,
        0,
      );
      const waiting = outcomes.filter(({ scheduleId }) => !keptIds.has(scheduleId));
      return { writtenIds, repeatedIds, waitingIds: new Set(waiting.map(({ runId }) => runId)) };
    });
  }

  private async record(
    executor: Executor,
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<ReadonlySet<string>> {
    if (outcomes.length === 0) {
      return new Set();
    }
    const form = OUTCOMES.formOf(outcomes);
    const rows = await executor.query<{ id: string }>(
      this.writeTexts[form],
      [nodeId, ...OUTCOMES.values(form, outcomes.toSorted(byRunId))],
      `crn_outcomes_${form}`,
    );
    return new Set(rows.map((row) => row.id));
  }

  private async standing(
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<ReadonlyMap<string, StandingOutcome>> {
    if (outcomes.length === 0) {
      return new Map();
    }
    const rows = await this.connections.query<{
      id: string;
      status: RunOutcome['status'];
      is_repeated: boolean;
    }>('engine', this.standingText, [outcomes.map(({ runId }) => runId), nodeId]);
    return new Map(rows.map((row) => [row.id, { status: row.status, isRepeated: row.is_repeated }]));
  }

  /**
   * Holds the schedules before the runs, the lock order of the whole store, so that none is deleted between the
   * decision to repeat and the request: a deletion removes the requests it finds.
   *
   * @returns the schedules that are held, and those that were deleted.
   */
  private async keepSchedules(
    executor: Executor,
    outcomes: readonly RunOutcome[],
  ): Promise<ReadonlySet<string>> {
    const rows = await executor.query<{ id: string }>(this.lockSchedulesText, [
      [...new Set(outcomes.map(({ scheduleId }) => scheduleId))],
    ]);
    return new Set(rows.map(({ id }) => id));
  }
}

function mayRepeat({ reason, retryAfterMs }: RunOutcome): boolean {
  return reason === 'shutdown' || retryAfterMs !== undefined;
}

function repetitionOf({ runId, retryAfterMs }: RunOutcome, nowUnixMs: number): RunToRepeat {
  return {
    runId,
    origin: retryAfterMs === undefined ? 'recovery' : 'retry',
    countsAsRecovery: false,
    dueAtUnixMs: nowUnixMs + (retryAfterMs ?? 0),
  };
}

function byRunId(left: RunOutcome, right: RunOutcome): number {
  return left.runId < right.runId ? -1 : 1;
}
