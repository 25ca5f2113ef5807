import { createTestDatabase, type TestDatabase } from '../../support/database.js';

/** A fresh database for the nodes of one test, with what the test itself needs in it. */
export async function createClusterDatabase(serverUrl?: string): Promise<TestDatabase> {
  const database = await createTestDatabase(serverUrl);
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

    create table cluster_transition (
      id bigint generated always as identity primary key,
      run_id uuid not null,
      before text not null,
      after text not null
    );

    create function cluster_note_transition() returns trigger language plpgsql as $$
    begin
      insert into cluster_transition (run_id, before, after) values (new.id, old.status, new.status);
      return null;
    end $$;

    create function cluster_watch_journal() returns event_trigger language plpgsql as $$
    begin
      -- Once: a trigger that is made again would wait for whoever writes to the journal.
      if to_regclass('public.crn_run') is not null
        and not exists (select from pg_trigger where tgname = 'cluster_transition') then
        create trigger cluster_transition after update on public.crn_run for each row
          when (old.status is distinct from new.status) execute function public.cluster_note_transition();
      end if;
    end $$;

    create event trigger cluster_watch_journal on ddl_command_end when tag in ('CREATE TABLE')
      execute function cluster_watch_journal();
  `);
  return database;
}
