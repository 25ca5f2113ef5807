import { storeCommand } from '../../store-command.js';
import type { Connections } from '../connections/connections.js';
import {
  type FoundPrivileges,
  missingPrivileges,
  neededPrivileges,
  PRIVILEGES_SQL,
  type PrunedTables,
} from './privileges.js';
import type { StoreSchema } from './store-schema.js';

type ColumnTypes = Readonly<Record<string, string>>;

/** What this version of the code needs of the database; the migrations make it, and may make more. */
export const EXPECTED_COLUMNS: Readonly<Record<string, ColumnTypes>> = {
  crn_schedule: {
    id: 'uuid not null',
    name: 'text not null',
    job_name: 'text not null',
    kind: 'text not null',
    expr: 'text',
    timezone: 'text',
    dst_gap: 'text',
    every_ms: 'bigint',
    fire_at_unix_ms: 'bigint',
    starts_at_unix_ms: 'bigint',
    ends_at_unix_ms: 'bigint',
    anchor_at_unix_ms: 'bigint not null',
    params: 'json',
    misfire_policy: 'text not null',
    backfill_limit: 'integer',
    backfill_until_unix_ms: 'bigint',
    concurrency_policy: 'text not null',
    recover: 'boolean not null',
    retry: 'json',
    timeout_ms: 'bigint not null',
    is_enabled: 'boolean not null',
    next_fire_at_unix_ms: 'bigint',
    accounted_until_unix_ms: 'bigint not null',
    last_fire_at_unix_ms: 'bigint',
    parked_reason: 'text',
    paused_at_unix_ms: 'bigint',
    paused_by: 'text',
    pause_note: 'text',
    paused_until_unix_ms: 'bigint',
    version: 'integer not null',
    created_at_unix_ms: 'bigint not null',
    created_by: 'text not null',
    updated_at_unix_ms: 'bigint not null',
    updated_by: 'text not null',
  },
  crn_schedule_name: { name: 'text not null', schedule_id: 'uuid not null' },
  crn_fire_request: {
    id: 'uuid not null',
    schedule_id: 'uuid not null',
    origin: 'text not null',
    scheduled_at_unix_ms: 'bigint not null',
    occurrence_at_unix_ms: 'bigint',
    due_at_unix_ms: 'bigint not null',
    attempt: 'integer not null',
    recoveries: 'integer not null',
    repeats_run_id: 'uuid',
    idempotency_key: 'text not null',
    request_key: 'text',
    params: 'json',
    trace_parent: 'text',
    fires_while_paused: 'boolean not null',
    is_queued: 'boolean not null',
    created_at_unix_ms: 'bigint not null',
    created_by: 'text not null',
  },
  crn_run: {
    id: 'uuid not null',
    schedule_id: 'uuid not null',
    schedule_name: 'text not null',
    job_name: 'text not null',
    origin: 'text not null',
    scheduled_at_unix_ms: 'bigint not null',
    occurrence_at_unix_ms: 'bigint',
    claimed_at_unix_ms: 'bigint not null',
    status: 'text not null',
    reason: 'text',
    node_id: 'text',
    started_at_unix_ms: 'bigint',
    finished_at_unix_ms: 'bigint',
    duration_ms: 'bigint',
    heartbeat_at_unix_ms: 'bigint',
    error: 'text',
    missed_count: 'bigint not null',
    attempt: 'integer not null',
    recoveries: 'integer not null',
    repeats_run_id: 'uuid',
    idempotency_key: 'text not null',
    request_key: 'text',
    params: 'json',
    trace_parent: 'text',
    cancel_requested_at_unix_ms: 'bigint',
    cancel_reason: 'text',
    canceled_by: 'text',
    created_at_unix_ms: 'bigint not null',
    created_by: 'text not null',
    fence: 'bigint not null',
  },
  crn_backfill: {
    id: 'uuid not null',
    schedule_id: 'uuid not null',
    from_unix_ms: 'bigint not null',
    to_unix_ms: 'bigint not null',
    next_unix_ms: 'bigint',
    total: 'bigint not null',
    fired: 'bigint not null',
    status: 'text not null',
    created_at_unix_ms: 'bigint not null',
    created_by: 'text not null',
    ended_at_unix_ms: 'bigint',
  },
  crn_hold: {
    job_name: 'text not null',
    note: 'text',
    until_unix_ms: 'bigint',
    held_at_unix_ms: 'bigint not null',
    held_by: 'text not null',
  },
  crn_seed: {
    job_name: 'text not null',
    name: 'text not null',
    schedule_id: 'uuid not null',
    definition_hash: 'text not null',
    revision: 'integer not null',
    seeded_at_unix_ms: 'bigint not null',
  },
  crn_audit: {
    id: 'uuid not null',
    at_unix_ms: 'bigint not null',
    actor_id: 'text',
    actor_name: 'text',
    resource: 'text not null',
    action: 'text not null',
    target: 'text',
    outcome: 'text not null',
    code: 'integer not null',
    attempts: 'bigint not null',
    request_id: 'text',
    ip: 'text',
    user_agent: 'text',
    params: 'json',
    before: 'json',
    after: 'json',
    elapsed_ms: 'bigint not null',
  },
  crn_store: { id: 'boolean not null', time_zone_rules: 'text', environment: 'text' },
  crn_node: {
    id: 'text not null',
    host: 'text not null',
    pid: 'integer not null',
    job_names: 'text[] not null',
    slots: 'integer not null',
    busy_slots: 'integer not null',
    version: 'text not null',
    started_at_unix_ms: 'bigint not null',
    heartbeat_at_unix_ms: 'bigint not null',
  },
};

/** Indexes and the table that each is on: those that uphold a guarantee, and those that a claim cannot do without. */
export const EXPECTED_INDEXES: Readonly<Record<string, string>> = {
  crn_schedule_pkey: 'crn_schedule',
  crn_schedule_name_key: 'crn_schedule',
  crn_schedule_due_idx: 'crn_schedule',
  crn_schedule_backfill_idx: 'crn_schedule',
  crn_schedule_paused_until_idx: 'crn_schedule',
  crn_schedule_name_pkey: 'crn_schedule_name',
  crn_fire_request_pkey: 'crn_fire_request',
  crn_fire_request_repeats_key: 'crn_fire_request',
  crn_fire_request_key: 'crn_fire_request',
  crn_fire_request_queued_key: 'crn_fire_request',
  crn_fire_request_schedule_idx: 'crn_fire_request',
  crn_run_pkey: 'crn_run',
  crn_run_occurrence_key: 'crn_run',
  crn_run_repeats_key: 'crn_run',
  crn_run_request_key: 'crn_run',
  crn_run_running_idx: 'crn_run',
  crn_run_schedule_idx: 'crn_run',
  crn_backfill_pkey: 'crn_backfill',
  crn_backfill_running_idx: 'crn_backfill',
  crn_backfill_schedule_idx: 'crn_backfill',
  crn_hold_pkey: 'crn_hold',
  crn_run_job_idx: 'crn_run',
  crn_run_scheduled_idx: 'crn_run',
  crn_run_unsuccessful_idx: 'crn_run',
  crn_seed_pkey: 'crn_seed',
  crn_audit_pkey: 'crn_audit',
  crn_audit_target_idx: 'crn_audit',
  crn_store_pkey: 'crn_store',
  crn_node_pkey: 'crn_node',
};

/** The tables are missing, incomplete, older than this version needs, or closed to the role. Nothing was changed. */
export class StoreSchemaError extends Error {
  /** The name of the class, also where code is minified. */
  override readonly name = 'StoreSchemaError';
}

const COLUMNS_SQL = `
  select c.relname as table, a.attname as column,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as type
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = any($2) and c.relkind in ('r', 'p')
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = $1`;

const INDEXES_SQL = `
  select i.relname as index, t.relname as table, x.indisunique as unique from pg_catalog.pg_namespace n
  join pg_catalog.pg_class i on i.relnamespace = n.oid and i.relname = any($2)
  join pg_catalog.pg_index x on x.indexrelid = i.oid and x.indisvalid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  where n.nspname = $1`;

interface FoundColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

interface FoundIndex {
  readonly index: string;
  readonly table: string;
  readonly unique: boolean;
}

/**
 * Compares the catalog with what this version needs. What is more than that is accepted: a newer version may have
 * migrated already.
 *
 * @param pruned the tables that this process deletes old rows of; none unless given.
 * @throws StoreSchemaError that names what is missing, a privilege included, and says what to run.
 */
export async function checkSchema(
  connections: Connections,
  schema: StoreSchema,
  pruned: PrunedTables = { runs: false, audit: false },
): Promise<void> {
  const columns = await connections.query<FoundColumn>('manager', COLUMNS_SQL, [
    schema.name,
    Object.keys(EXPECTED_COLUMNS),
  ]);
  const indexes = await connections.query<FoundIndex>('manager', INDEXES_SQL, [
    schema.name,
    Object.keys(EXPECTED_INDEXES),
  ]);
  const tables = new Set(columns.map((row) => row.table));
  const faults = Object.keys(EXPECTED_COLUMNS).flatMap((table) =>
    tables.has(table)
      ? faultsOfColumns(table, columns).concat(faultsOfIndexes(table, indexes))
      : [`the table ${table} is missing`],
  );
  if (faults.length > 0) {
    throw new StoreSchemaError(
      `The schema ${JSON.stringify(schema.name)} is not ready for this version of nestjs-cron-store: ${faults.join('; ')}. ` +
        `Run the migrations of \`cronStoreMigrations({ schema })\` with the migrations of your application, run \`${storeCommand(schema.name, 'migrate', 'up')}\`, or set \`autoMigrate: true\`.`,
    );
  }
  const needed = neededPrivileges(pruned);
  const found = await connections.query<FoundPrivileges>('manager', PRIVILEGES_SQL, [
    schema.name,
    needed.tables,
    needed.privileges,
  ]);
  const lacking = missingPrivileges(schema.name, found);
  if (lacking !== undefined) {
    throw new StoreSchemaError(lacking);
  }
}

function faultsOfColumns(table: string, found: readonly FoundColumn[]): string[] {
  const types = new Map(found.filter((row) => row.table === table).map((row) => [row.column, row.type]));
  return Object.entries(EXPECTED_COLUMNS[table] ?? {}).flatMap(([column, type]) => {
    const actual = types.get(column);
    if (actual === undefined) {
      return [`the column ${table}.${column} is missing`];
    }
    return actual === type ? [] : [`the column ${table}.${column} is "${actual}" instead of "${type}"`];
  });
}

function faultsOfIndexes(table: string, found: readonly FoundIndex[]): string[] {
  const names = Object.keys(EXPECTED_INDEXES).filter((index) => EXPECTED_INDEXES[index] === table);
  return names.flatMap((name) => {
    const actual = found.find((row) => row.index === name && row.table === table);
    if (actual === undefined) {
      return [`the index ${name} on ${table} is missing`];
    }
    // Keys uphold guarantees, and are named so; an index only serves.
    return name.endsWith('key') && !actual.unique ? [`the index ${name} on ${table} is not unique`] : [];
  });
}
