import type { MigrationInterface, QueryRunner } from 'typeorm';
import { createSchemaWhereMissing } from './create-schema.js';
import { forgetMigration } from './history.js';
import type { MigrationClass } from './index.js';
import { quoteIdentifier } from './quoting.js';

/** Creates the store's tables with their constraints and indexes. */
export function createTables(schema: string): MigrationClass {
  const inSchema = quoteIdentifier(schema);

  return class implements MigrationInterface {
    // The schema is part of it, so that one data source can have the migrations of several stores.
    readonly name = `CronStoreCreateTables_${schema}_1795910400000`;

    async up(queryRunner: QueryRunner): Promise<void> {
      await createSchemaWhereMissing(queryRunner, schema);
      for (const statement of tableStatements(inSchema)) {
        await queryRunner.query(statement);
      }
    }

    async down(queryRunner: QueryRunner): Promise<void> {
      for (const table of TABLES) {
        await queryRunner.query(`drop table if exists ${inSchema}.${table}`);
      }
      await forgetMigration(queryRunner, schema, this.name);
    }
  };
}

/** Every table, those made last first. */
const TABLES = [
  'crn_node',
  'crn_store',
  'crn_audit',
  'crn_seed',
  'crn_hold',
  'crn_backfill',
  'crn_run',
  'crn_fire_request',
  'crn_schedule_name',
  'crn_schedule',
] as const;

function tableStatements(inSchema: string): readonly string[] {
  return [
    `create table if not exists ${inSchema}.crn_schedule (
       id uuid constraint crn_schedule_pkey primary key,
       name text not null constraint crn_schedule_name_key unique,
       job_name text not null,
       kind text not null,
       expr text,
       timezone text,
       dst_gap text,
       every_ms bigint,
       fire_at_unix_ms bigint,
       starts_at_unix_ms bigint,
       ends_at_unix_ms bigint,
       anchor_at_unix_ms bigint not null,
       params json,
       misfire_policy text not null,
       backfill_limit integer,
       backfill_until_unix_ms bigint,
       concurrency_policy text not null,
       recover boolean not null,
       retry json,
       timeout_ms bigint not null,
       is_enabled boolean not null,
       next_fire_at_unix_ms bigint,
       accounted_until_unix_ms bigint not null,
       last_fire_at_unix_ms bigint,
       parked_reason text,
       paused_at_unix_ms bigint,
       paused_by text,
       pause_note text,
       paused_until_unix_ms bigint,
       version integer not null,
       created_at_unix_ms bigint not null,
       created_by text not null,
       updated_at_unix_ms bigint not null,
       updated_by text not null,
       constraint crn_schedule_kind_check check (
         (kind = 'cron' and expr is not null and every_ms is null and fire_at_unix_ms is null)
         or (kind = 'interval' and every_ms is not null and expr is null and timezone is null and fire_at_unix_ms is null)
         or (kind = 'once' and fire_at_unix_ms is not null and expr is null and timezone is null and every_ms is null)
       ),
       constraint crn_schedule_dst_gap_check check (dst_gap in ('skip', 'run_after')),
       constraint crn_schedule_misfire_policy_check check (misfire_policy in ('fire_now', 'skip', 'backfill')),
       constraint crn_schedule_concurrency_policy_check check (concurrency_policy in ('forbid', 'allow', 'queue', 'replace'))
     )`,
    // Serves the claim and the sleep until the nearest fire. The job name is a column of it so that due schedules of
    // jobs that are not registered on a node are passed over inside the index.
    `create index if not exists crn_schedule_due_idx on ${inSchema}.crn_schedule (next_fire_at_unix_ms, job_name)
       where is_enabled and parked_reason is null and next_fire_at_unix_ms is not null`,

    // Serves the claim of backlogs, which must not read everything that is due to find out that there are none.
    `create index if not exists crn_schedule_backfill_idx on ${inSchema}.crn_schedule (next_fire_at_unix_ms, job_name)
       where is_enabled and parked_reason is null and next_fire_at_unix_ms is not null
         and misfire_policy = 'backfill'`,
    // Serves the pauses that end by themselves.
    `create index if not exists crn_schedule_paused_until_idx on ${inSchema}.crn_schedule (paused_until_unix_ms)
       where paused_until_unix_ms is not null`,

    // Every name that a schedule has or had, also of deleted ones: the journal is found by any of them.
    `create table if not exists ${inSchema}.crn_schedule_name (
       name text not null,
       schedule_id uuid not null,
       constraint crn_schedule_name_pkey primary key (name, schedule_id)
     )`,

    `create table if not exists ${inSchema}.crn_fire_request (
       id uuid constraint crn_fire_request_pkey primary key,
       schedule_id uuid not null,
       origin text not null,
       scheduled_at_unix_ms bigint not null,
       occurrence_at_unix_ms bigint,
       due_at_unix_ms bigint not null,
       attempt integer not null,
       recoveries integer not null,
       repeats_run_id uuid,
       idempotency_key text not null,
       request_key text,
       params json,
       trace_parent text,
       fires_while_paused boolean not null,
       is_queued boolean not null,
       created_at_unix_ms bigint not null,
       created_by text not null,
       constraint crn_fire_request_instant_check check (
         scheduled_at_unix_ms between -8640000000000000 and 8640000000000000
       ),
       constraint crn_fire_request_origin_check check (origin in ('schedule', 'manual', 'recovery', 'retry'))
     )`,
    // One repetition per run, whoever notices its end first; `crn_run_repeats_key` goes on when the request is consumed.
    // The claim reads the whole table and needs no index: requests are few, and consumed at once.
    `create unique index if not exists crn_fire_request_repeats_key on ${inSchema}.crn_fire_request (repeats_run_id)
       where repeats_run_id is not null`,
    // A manual fire is asked for once under its key; `crn_run_request_key` goes on when the request is consumed.
    `create unique index if not exists crn_fire_request_key on ${inSchema}.crn_fire_request (schedule_id, request_key)
       where request_key is not null`,
    // The policy `queue` lets one fire wait.
    `create unique index if not exists crn_fire_request_queued_key on ${inSchema}.crn_fire_request (schedule_id)
       where is_queued`,
    // Serves the deletion of a schedule.
    `create index if not exists crn_fire_request_schedule_idx on ${inSchema}.crn_fire_request (schedule_id)`,

    `create table if not exists ${inSchema}.crn_run (
       id uuid constraint crn_run_pkey primary key,
       schedule_id uuid not null,
       schedule_name text not null,
       job_name text not null,
       origin text not null,
       scheduled_at_unix_ms bigint not null,
       occurrence_at_unix_ms bigint,
       claimed_at_unix_ms bigint not null,
       status text not null,
       reason text,
       node_id text,
       started_at_unix_ms bigint,
       finished_at_unix_ms bigint,
       duration_ms bigint,
       heartbeat_at_unix_ms bigint,
       error text,
       missed_count bigint not null,
       attempt integer not null,
       recoveries integer not null,
       repeats_run_id uuid,
       idempotency_key text not null,
       request_key text,
       params json,
       trace_parent text,
       cancel_requested_at_unix_ms bigint,
       cancel_reason text,
       canceled_by text,
       created_at_unix_ms bigint not null,
       created_by text not null,
       fence bigint generated always as identity,
       constraint crn_run_origin_check check (origin in ('schedule', 'manual', 'recovery', 'retry', 'backfill')),
       constraint crn_run_occurrence_check check (
         origin not in ('schedule', 'backfill') or occurrence_at_unix_ms is not null
       ),
       constraint crn_run_status_check check (
         status in ('running', 'succeeded', 'failed', 'missed', 'skipped', 'abandoned', 'canceled')
       )
     )`,
    // The second fence: at most one run of origin 'schedule' for an occurrence, whatever happens to the cursor.
    `create unique index if not exists crn_run_occurrence_key on ${inSchema}.crn_run (schedule_id, scheduled_at_unix_ms)
       where origin = 'schedule'`,
    `create unique index if not exists crn_run_repeats_key on ${inSchema}.crn_run (repeats_run_id)
       where repeats_run_id is not null`,
    `create unique index if not exists crn_run_request_key on ${inSchema}.crn_run (schedule_id, request_key)
       where request_key is not null`,
    // Serves the overlap check of a claim and the sweep for stale runs; as small as the number of running runs.
    `create index if not exists crn_run_running_idx on ${inSchema}.crn_run (schedule_id) where status = 'running'`,
    // Serves the journal of one schedule, newest first: ids are minted in the order of claims.
    `create index if not exists crn_run_schedule_idx on ${inSchema}.crn_run (schedule_id, id)`,
    // Serves the journal of one job, newest first; a job that seldom runs would else be searched for among all the others.
    `create index if not exists crn_run_job_idx on ${inSchema}.crn_run (job_name, id)`,
    // Serves the journal of a time range: the one filter by which every part of it can be reached.
    `create index if not exists crn_run_scheduled_idx on ${inSchema}.crn_run (scheduled_at_unix_ms)`,
    // Serves the search for what did not go well, newest first. A run that succeeds never enters it.
    `create index if not exists crn_run_unsuccessful_idx on ${inSchema}.crn_run (status, id)
       where status not in ('running', 'succeeded')`,

    // Past ranges that operators asked to fire again, each with a cursor of its own.
    `create table if not exists ${inSchema}.crn_backfill (
       id uuid constraint crn_backfill_pkey primary key,
       schedule_id uuid not null,
       from_unix_ms bigint not null,
       to_unix_ms bigint not null,
       next_unix_ms bigint,
       total bigint not null,
       fired bigint not null,
       status text not null,
       created_at_unix_ms bigint not null,
       created_by text not null,
       ended_at_unix_ms bigint,
       constraint crn_backfill_status_check check (status in ('running', 'completed', 'canceled'))
     )`,
    // Serves the claim; as small as the number of running backfills.
    `create index if not exists crn_backfill_running_idx on ${inSchema}.crn_backfill (id) where status = 'running'`,
    // Serves the list of a schedule's backfills, and the deletion of a schedule.
    `create index if not exists crn_backfill_schedule_idx on ${inSchema}.crn_backfill (schedule_id, id)`,

    // Jobs, or with an empty name the whole store, whose fires are held back.
    `create table if not exists ${inSchema}.crn_hold (
       job_name text constraint crn_hold_pkey primary key,
       note text,
       until_unix_ms bigint,
       held_at_unix_ms bigint not null,
       held_by text not null
     )`,

    // What was seeded from code, so that it is seeded once: a rename makes no twin, a deletion is not undone.
    `create table if not exists ${inSchema}.crn_seed (
       job_name text not null,
       name text not null,
       schedule_id uuid not null,
       definition_hash text not null,
       revision integer not null,
       seeded_at_unix_ms bigint not null,
       constraint crn_seed_pkey primary key (job_name, name)
     )`,

    // Who changed what. The record of a change commits with the change. Ids sort by time, so that the primary key serves
    // the newest first and the retention.
    `create table if not exists ${inSchema}.crn_audit (
       id uuid constraint crn_audit_pkey primary key,
       at_unix_ms bigint not null,
       actor_id text,
       actor_name text,
       resource text not null,
       action text not null,
       target text,
       outcome text not null,
       code integer not null,
       attempts bigint not null,
       request_id text,
       ip text,
       user_agent text,
       params json,
       before json,
       after json,
       elapsed_ms bigint not null,
       constraint crn_audit_outcome_check check (outcome in ('success', 'failed', 'denied'))
     )`,
    // Serves the history of one schedule, newest first.
    `create index if not exists crn_audit_target_idx on ${inSchema}.crn_audit (target, id)`,

    // What the store knows about itself: one row.
    `create table if not exists ${inSchema}.crn_store (
       id boolean constraint crn_store_pkey primary key,
       time_zone_rules text,
       constraint crn_store_id_check check (id)
     )`,

    `create table if not exists ${inSchema}.crn_node (
       id text constraint crn_node_pkey primary key,
       host text not null,
       pid integer not null,
       job_names text[] not null,
       slots integer not null,
       busy_slots integer not null,
       version text not null,
       started_at_unix_ms bigint not null,
       heartbeat_at_unix_ms bigint not null
     )`,
  ];
}
