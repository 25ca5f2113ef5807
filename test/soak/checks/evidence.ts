import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DeedRecord, EventRecord, NodeRecord } from '../node/protocol.js';
import type { AcknowledgedHold, Operation } from '../support/operators.js';
import type { SoakDatabase } from '../support/soak-database.js';

/** A row of `crn_schedule`, as far as the checks look at it. */
export interface ScheduleRow {
  readonly id: string;
  readonly name: string;
  readonly kind: 'cron' | 'interval' | 'once';
  readonly expr: string | null;
  readonly timezone: string | null;
  readonly dst_gap: string | null;
  readonly every_ms: number | null;
  readonly fire_at_unix_ms: number | null;
  readonly starts_at_unix_ms: number | null;
  readonly ends_at_unix_ms: number | null;
  readonly anchor_at_unix_ms: number;
  readonly concurrency_policy: string;
  readonly recover: boolean;
  readonly retry: { readonly maxAttempts: number } | null;
  readonly is_enabled: boolean;
  readonly next_fire_at_unix_ms: number | null;
  readonly parked_reason: string | null;
  readonly version: number;
  readonly created_at_unix_ms: number;
  readonly updated_at_unix_ms: number;
}

/** A row of `crn_fire_request`. */
export interface RequestRow {
  readonly id: string;
  readonly schedule_id: string;
  readonly origin: string;
  readonly scheduled_at_unix_ms: number;
  readonly idempotency_key: string;
  readonly request_key: string | null;
  readonly repeats_run_id: string | null;
  readonly fires_while_paused: boolean;
}

/** A row of `crn_run`. */
export interface RunRow {
  readonly id: string;
  readonly schedule_id: string;
  readonly schedule_name: string;
  readonly job_name: string;
  readonly origin: string;
  readonly scheduled_at_unix_ms: number;
  readonly claimed_at_unix_ms: number;
  readonly finished_at_unix_ms: number | null;
  readonly heartbeat_at_unix_ms: number | null;
  readonly status: string;
  readonly reason: string | null;
  readonly node_id: string | null;
  readonly error: string | null;
  readonly missed_count: number;
  readonly attempt: number;
  readonly fence: number;
  readonly recoveries: number;
  readonly repeats_run_id: string | null;
  readonly idempotency_key: string;
  readonly request_key: string | null;
}

/** A row of `crn_hold`. */
export interface HoldRow {
  readonly job_name: string;
  readonly held_by: string;
}

interface Witnessed<Subject extends string, Row> {
  /** In the order in which it happened, as far as it is ordered by locks. */
  readonly id: number;
  readonly transaction: string;
  readonly subject: Subject;
  readonly operation: 'insert' | 'update' | 'delete';
  readonly old: Row | null;
  readonly new: Row | null;
}

export type ScheduleChange = Witnessed<'crn_schedule', ScheduleRow>;
export type RequestChange = Witnessed<'crn_fire_request', RequestRow>;
export type RunChange = Witnessed<'crn_run', RunRow>;
export type HoldChange = Witnessed<'crn_hold', HoldRow>;
/** What happens to a schedule. */
export type Change = ScheduleChange | RequestChange | RunChange;

/** Everything that the server witnessed of one schedule. */
export class History {
  readonly schedule: readonly ScheduleChange[];
  readonly requests: readonly RequestChange[];
  readonly runs: readonly RunChange[];
  private readonly byTransaction: ReadonlyMap<string, readonly Change[]>;

  constructor(
    readonly scheduleId: string,
    readonly changes: readonly Change[],
  ) {
    this.schedule = changes.filter((change) => change.subject === 'crn_schedule');
    this.requests = changes.filter((change) => change.subject === 'crn_fire_request');
    this.runs = changes.filter((change) => change.subject === 'crn_run');
    this.byTransaction = groupedBy(changes, ({ transaction }) => transaction);
  }

  /** What happened in the same transaction. */
  within({ transaction }: Change): readonly Change[] {
    return this.byTransaction.get(transaction) ?? [];
  }

  /** The schedule as it was just before something happened; absent when there was none. */
  scheduleBefore({ id }: Change): ScheduleRow | undefined {
    const change = this.schedule.findLast((candidate) => candidate.id < id);
    return change?.new ?? undefined;
  }

  /** The schedule as it is in the end, or was when it was deleted. */
  get lastRow(): ScheduleRow | undefined {
    const last = this.schedule.at(-1);
    return last?.new ?? last?.old ?? undefined;
  }

  get name(): string {
    return this.lastRow?.name ?? this.scheduleId;
  }
}

/** A record of the audit trail. */
export interface AuditRow {
  readonly actor_id: string;
  readonly action: string;
  readonly target: string | null;
  readonly outcome: 'success' | 'failed';
  readonly code: number;
  readonly before: AuditedSchedule | null;
  readonly after: AuditedSchedule | null;
}

/** What the audit trail keeps of a schedule, if it is one. */
export interface AuditedSchedule {
  readonly id?: string;
  readonly name?: string;
  readonly version?: number;
  readonly isEnabled?: boolean;
  readonly nextFireAtUnixMs?: number;
}

export interface BackfillRow {
  readonly schedule_id: string;
  readonly status: string;
  readonly fired: number;
  readonly total: number;
}

/** Everything that a soak leaves behind. */
export interface Evidence {
  readonly histories: readonly History[];
  /** The journal in the end. */
  readonly runs: readonly RunRow[];
  readonly pendingRequests: readonly (RequestRow & { readonly created_at_unix_ms: number })[];
  readonly backfills: readonly BackfillRow[];
  readonly audit: readonly AuditRow[];
  /** How many rows of transactional handlers are there, by run. */
  readonly effects: ReadonlyMap<string, number>;
  readonly deeds: readonly DeedRecord[];
  readonly events: readonly EventRecord[];
  readonly operations: readonly Operation[];
  readonly acknowledgedHolds: readonly AcknowledgedHold[];
  /** What the server witnessed of holds. */
  readonly holds: readonly HoldChange[];
  /** When everything was settled, in the store's time. */
  readonly settledAtUnixMs: number;
  readonly maxRecoveries: number;
}

/** A sentence for each thing that contradicts what the store guarantees. */
export type Check = (evidence: Evidence) => string[];

const PAGE = 20_000;

type WitnessRow = (Change | HoldChange) & { readonly schedule_id: string };

/** Collects what the database and the nodes' records say, and adds it to what is known already. */
export async function collectEvidence(
  database: SoakDatabase,
  folder: string,
  known: Pick<Evidence, 'operations' | 'acknowledgedHolds' | 'settledAtUnixMs' | 'maxRecoveries'>,
): Promise<Evidence> {
  const records = await readRecords(folder);
  const witness = await readWitness(database);
  const effects = await database.query<{ run_id: string; count: number }>(
    'select run_id, count(*)::float as count from soak_effect group by run_id',
  );
  return {
    ...known,
    histories: historiesOf(witness),
    holds: witness.filter((row) => row.subject === 'crn_hold'),
    runs: await jsonRows<RunRow>(database, 'select row_to_json(r) as row from crn_run r order by id'),
    pendingRequests: await jsonRows(database, 'select row_to_json(q) as row from crn_fire_request q'),
    backfills: await jsonRows<BackfillRow>(database, 'select row_to_json(b) as row from crn_backfill b'),
    audit: await jsonRows<AuditRow>(
      database,
      `select json_build_object('actor_id', actor_id, 'action', action, 'target', target, 'outcome', outcome,
         'code', code, 'before', before, 'after', after) as row from crn_audit order by id`,
    ),
    effects: new Map(effects.map(({ run_id: runId, count }) => [runId, count])),
    deeds: records.filter((record) => record.kind === 'deed'),
    events: records.filter((record) => record.kind === 'event'),
  };
}

async function readWitness(database: SoakDatabase): Promise<WitnessRow[]> {
  const rows: WitnessRow[] = [];
  for (let after = 0, isLast = false; !isLast;) {
    const page = await database.query<WitnessRow>(
      `select id::float, transaction, subject, operation, schedule_id, old, new from soak_witness
       where id > $1 order by id limit ${PAGE}`,
      [after],
    );
    rows.push(...page);
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
  }
  return rows;
}

function historiesOf(witness: readonly WitnessRow[]): History[] {
  const changes = witness.filter((row) => row.subject !== 'crn_hold');
  return [...groupedBy(changes, (change) => change.schedule_id)].map(([id, own]) => new History(id, own));
}

async function jsonRows<Row>(database: SoakDatabase, sql: string): Promise<Row[]> {
  const rows = await database.query<{ row: Row }>(sql);
  return rows.map(({ row }) => row);
}

async function readRecords(folder: string): Promise<NodeRecord[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.jsonl'));
  const texts = await Promise.all(files.map((file) => readFile(join(folder, file), 'utf8')));
  return texts.flatMap((text) =>
    // A line without its end is what a process was about to write when it died.
    text
      .slice(0, text.lastIndexOf('\n') + 1)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as NodeRecord),
  );
}

export function groupedBy<Item, Key>(items: readonly Item[], keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) {
      groups.set(keyOf(item), [item]);
    } else {
      group.push(item);
    }
  }
  return groups;
}

/** A run, for a sentence. */
export function named(run: RunRow): string {
  return `${run.schedule_name} of ${shown(run.scheduled_at_unix_ms)} (${run.origin}, ${run.status}, run ${run.id})`;
}

/** An instant, for a sentence. */
export function shown(unixMs: number | null | undefined): string {
  return unixMs === null || unixMs === undefined ? 'none' : new Date(unixMs).toISOString();
}
