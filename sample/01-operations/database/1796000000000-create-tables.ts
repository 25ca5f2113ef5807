import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The tables of the application. Those of the store come with the store. */
export class CreateTables1796000000000 implements MigrationInterface {
  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      create table operations.database_vitals (
        occurrence text primary key,
        taken_at timestamptz not null,
        connections integer not null,
        database_bytes bigint not null,
        cache_hit_ratio double precision,
        node_id text not null
      );
      create table operations.session (
        id uuid primary key,
        user_name text not null,
        created_at timestamptz not null,
        expires_at timestamptz not null
      );
      create index session_expiry_idx on operations.session (expires_at);
      create table operations.partner_customer (
        id integer primary key,
        name text not null,
        changed_at timestamptz not null
      );
      create table operations.partner_feed (
        feed text primary key,
        read_through timestamptz not null
      );
      create table operations.partner_reconciliation (
        occurrence text primary key,
        scheduled_at timestamptz not null,
        pages_done integer not null,
        pages_total integer,
        finished_at timestamptz
      );
      create table operations.journal_digest (
        through timestamptz primary key,
        since timestamptz not null,
        runs_by_status jsonb not null,
        missed_occurrences integer not null,
        failures jsonb not null,
        written_at timestamptz not null
      )`);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(`
      drop table operations.journal_digest, operations.partner_reconciliation, operations.partner_feed,
        operations.partner_customer, operations.session, operations.database_vitals`);
  }
}
