import type { RunReason, TerminalRunStatus } from '../../schedules/index.js';
import type { Connections, Transaction } from '../connections/connections.js';
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
    this.lockSchedulesText = `
      select id from ${schema.schedule} where id = any($1::uuid[]) order by id for key share`;
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
    this.standingText = `
      select r.id, r.status, exists (select from ${schema.fireRequest} q where q.repeats_run_id = r.id)
        or exists (select from ${schema.run} again where again.repeats_run_id = r.id) as is_repeated
      from ${schema.run} r
      where r.id = any($1::uuid[]) and r.node_id = $2 and r.status in ('succeeded', 'failed', 'canceled')`;
  }

  /** Journals the outcomes of this node's runs, and requests the repetition of those that are owed one. */
  async write(nodeId: string, outcomes: readonly RunOutcome[]): Promise<WrittenOutcomes> {
    const written = await this.writeAtOnce(nodeId, outcomes);
    const refused = outcomes.filter(({ runId }) => !written.writtenIds.has(runId));
    return { ...written, standing: await this.standing(nodeId, refused) };
  }

  /** Writes outcomes within a transaction, the caller's or its own. */
  async writeWithin(
    { executor, nowUnixMs }: Transaction,
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<Omit<WrittenOutcomes, 'standing'>> {
    const repeatable = outcomes.filter(mayRepeat);
    await this.keepSchedules(executor, repeatable);
    const writtenIds = await this.record(executor, nodeId, outcomes);
    const repeatedIds = await this.requests.repeat(
      executor,
      repeatable
        .filter((outcome) => writtenIds.has(outcome.runId))
        .map((outcome) => repetitionOf(outcome, nowUnixMs)),
      nowUnixMs,
      0,
    );
    return { writtenIds, repeatedIds };
  }

  private async writeAtOnce(
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<Omit<WrittenOutcomes, 'standing'>> {
    if (!outcomes.some(mayRepeat)) {
      const executor = this.connections.executor('engine');
      return { writtenIds: await this.record(executor, nodeId, outcomes), repeatedIds: new Set() };
    }
    return this.connections.transaction('engine', (transaction) =>
      this.writeWithin(transaction, nodeId, outcomes),
    );
  }

  private async record(
    executor: Executor,
    nodeId: string,
    outcomes: readonly RunOutcome[],
  ): Promise<ReadonlySet<string>> {
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
   */
  private async keepSchedules(executor: Executor, outcomes: readonly RunOutcome[]): Promise<void> {
    if (outcomes.length > 0) {
      await executor.query(this.lockSchedulesText, [
        [...new Set(outcomes.map((outcome) => outcome.scheduleId))],
      ]);
    }
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
