import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** A fresh database for the nodes of one test, with what the test itself needs in it. */
export async function createClusterDatabase(): Promise<TestDatabase> {
  const database = await createTestDatabase();
  await database.query(`
    create table cluster_clock (ahead_ms bigint not null);
    insert into cluster_clock values (0);

    create function cluster_now() returns bigint language sql volatile as
      $$ select floor(extract(epoch from clock_timestamp()) * 1000)::bigint + (select ahead_ms from public.cluster_clock) $$;

    create table cluster_gate (name text primary key);

    create table cluster_deed (
      id bigint generated always as identity primary key,
      at_unix_ms bigint not null default cluster_now(),
      node text not null,
      node_id text not null,
      deed text not null,
      run_id uuid not null,
      schedule_id uuid not null,
      schedule_name text not null,
      scheduled_at_unix_ms bigint not null,
      origin text not null,
      attempt integer not null,
      idempotency_key text not null
    );

    create table cluster_event (
      id bigint generated always as identity primary key,
      at_unix_ms bigint not null default cluster_now(),
      node text not null,
      name text not null,
      run_id uuid not null,
      payload json not null
    );
  `);
  return database;
}
