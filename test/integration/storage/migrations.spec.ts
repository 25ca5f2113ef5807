import { DataSource } from 'typeorm';
import { cronStoreMigrations } from '../../../lib/index.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';

/** Needs quotes, and looks like more than one word, one schema and one literal. */
const AWKWARD = `My "Schema".x it's`;

describe('migrations', () => {
  let database: TestDatabase;
  const running = new Set<StoreApp>();
  const sources = new Set<DataSource>();
  const proxies = new Set<DatabaseProxy>();

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await Promise.all([...running].map((node) => node.close()));
    await Promise.all([...sources].map((source) => source.destroy()));
    await Promise.all([...proxies].map((proxy) => proxy.close()));
    running.clear();
    sources.clear();
    proxies.clear();
    await database.drop();
  });

  async function start(schema = 'public', autoMigrate = true): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, store: { schema, autoMigrate } });
    running.add(node);
    return node;
  }

  /** The host's own data source, with the store's migrations beside its own. */
  async function hostSource(...schemas: string[]): Promise<DataSource> {
    const migrations = schemas.flatMap((schema) => cronStoreMigrations({ schema }));
    const source = new DataSource({ ...options(database.url), migrations });
    sources.add(source);
    return source.initialize();
  }

  /** A store whose tables are older than the order of its key of occurrences. */
  async function olderTables(): Promise<void> {
    const migrations = cronStoreMigrations().slice(0, 2);
    const source = new DataSource({ ...options(database.url), migrations });
    sources.add(source);
    await source.initialize();
    await source.runMigrations();
    expect(await occurrenceKey()).toMatchObject({ columns: 'schedule_id, scheduled_at_unix_ms' });
  }

  async function occurrenceKey(
    name = 'crn_run_occurrence_key',
  ): Promise<{ id: number; columns: string } | undefined> {
    const [key] = await database.query<{ id: number; columns: string }>(
      `select indexrelid::int as id,
         concat_ws(', ', pg_get_indexdef(indexrelid, 1, true), pg_get_indexdef(indexrelid, 2, true)) as columns
       from pg_index where indexrelid = to_regclass($1) and indisunique and indisvalid`,
      [name],
    );
    return key;
  }

  /** Until it waits for the strongest lock of the journal. */
  async function untilMigrationWaits(): Promise<void> {
    await untilTrue('the migration waits', async () => {
      const waiting = await database.query(
        `select from pg_locks where relation = 'public.crn_run'::regclass and mode = 'AccessExclusiveLock' and not granted`,
      );
      return waiting.length > 0;
    });
  }

  /** What the claim of a node of the version before would do meanwhile: neither may be refused for the other. */
  async function migrateBesideClaim(migrate: () => Promise<unknown>): Promise<void> {
    const claim = (await hostSource()).createQueryRunner();
    await claim.startTransaction();
    await claim.query('select from public.crn_run');
    const migrating = migrate();
    await untilMigrationWaits();
    await claim.query('delete from public.crn_run');
    await claim.commitTransaction();
    await claim.release();
    await migrating;

    expect(await occurrenceKey()).toMatchObject({ columns: 'scheduled_at_unix_ms, schedule_id' });
  }

  async function tables(): Promise<string[]> {
    const rows = await database.query<{ name: string }>(
      `select n.nspname || '/' || c.relname as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast') order by 1`,
    );
    return rows.map((row) => row.name);
  }

  it.each([
    ['the default schema', 'public'],
    ['a schema whose name needs quotes', AWKWARD],
  ])('run in %s from eight nodes that boot at once on an empty database (scenario 36)', async (_, schema) => {
    const nodes = await Promise.all(Array.from({ length: 8 }, () => start(schema)));
    const [first] = nodes;

    expect(nodes.map((node) => node.engine.status().state)).toEqual(nodes.map(() => 'running'));
    expect((await tables()).filter((table) => table === `${schema}/crn_schedule`)).toHaveLength(1);
    expect(await tables()).toContain(`${schema}/crn_migration`);
    expect(await first?.manager.list()).toEqual([]);
  });

  it('run from eight nodes also where the default isolation is serializable', async () => {
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    await database.query(`alter database ${row?.name} set default_transaction_isolation = 'serializable'`);
    const nodes = await Promise.all(Array.from({ length: 8 }, () => start()));

    expect(nodes).toHaveLength(8);
  });

  it('run again where the connection is cut in the middle of them', async () => {
    const proxy = await DatabaseProxy.open(database.url);
    proxies.add(proxy);
    const session = (await hostSource()).createQueryRunner();
    await session.query("select pg_advisory_lock(hashtextextended('nestjs-cron-store:public', 0))");
    const starting = startStoreApp({ url: proxy.url });
    await untilTrue('the migration waits for its lock', async () => {
      const waiting = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock' and wait_event = 'advisory'`,
      );
      return waiting.length > 0;
    });
    proxy.drop();
    await session.query('select pg_advisory_unlock_all()');
    await session.release();
    const node = await starting;
    running.add(node);

    expect(node.engine.status().state).toBe('running');
  });

  it('change nothing the second time', async () => {
    await start();
    const before = await tables();
    await start();

    expect(await tables()).toEqual(before);
    expect(await database.query('select * from crn_migration')).toHaveLength(cronStoreMigrations().length);
  });

  it("run with the host's own migrations, and autoMigrate then finds nothing to do", async () => {
    const source = await hostSource('public');
    await source.runMigrations();

    expect((await start('public', false)).engine.status().state).toBe('running');
    expect((await start('public', true)).engine.status().state).toBe('running');
  });

  it("find nothing to do in the host's run after autoMigrate", async () => {
    const node = await start();
    await node.manager.list();
    const source = await hostSource('public');
    await source.runMigrations();

    expect(await source.showMigrations()).toBe(false);
    expect((await start('public', false)).engine.status().state).toBe('running');
  });

  it('serve several stores from one data source of the host', async () => {
    const source = await hostSource('public', 'second', AWKWARD);
    await source.runMigrations();

    for (const schema of ['public', 'second', AWKWARD]) {
      expect((await start(schema, false)).engine.status().state).toBe('running');
    }
  });

  it.each(['public', AWKWARD])(
    'remove everything of theirs when the host reverts them in %s',
    async (schema) => {
      const source = await hostSource(schema);
      await source.runMigrations();
      for (const _ of cronStoreMigrations({ schema })) {
        await source.undoLastMigration();
      }

      expect(await tables()).toEqual(['public/migrations']);
    },
  );

  it('come back with autoMigrate after the host reverted them', async () => {
    await (await start()).close();
    const source = await hostSource('public');
    await source.runMigrations();
    await source.undoLastMigration();

    expect((await start()).engine.status().state).toBe('running');
  });

  it('order the key of occurrences by time, with the index that was built for it before', async () => {
    await olderTables();
    await database.query(
      `create unique index concurrently crn_run_occurrence_time_key
         on public.crn_run (scheduled_at_unix_ms, schedule_id) where origin = 'schedule'`,
    );
    const built = await occurrenceKey('crn_run_occurrence_time_key');
    await start();

    expect(await occurrenceKey()).toEqual({ id: built?.id, columns: 'scheduled_at_unix_ms, schedule_id' });
    expect(await occurrenceKey('crn_run_occurrence_time_key')).toBeUndefined();
  });

  it('wait for a claim that has read the journal and is about to write to it, in the run of the host', async () => {
    await olderTables();
    await migrateBesideClaim(async () => (await hostSource('public')).runMigrations());
  });

  it('wait for a claim that has read the journal and is about to write to it, at start-up', async () => {
    await (await start()).close();
    const revert = (await hostSource()).createQueryRunner();
    for (const Migration of cronStoreMigrations().slice(2)) {
      await new Migration().down(revert);
    }
    await revert.release();
    await migrateBesideClaim(async () => start());
  });

  it('begin again at start-up where they were refused for a deadlock', async () => {
    await olderTables();
    const other = (await hostSource()).createQueryRunner();
    await other.startTransaction();
    await other.query('lock table public.crn_run in share mode');
    const starting = start();
    await untilMigrationWaits();
    // PostgreSQL refuses whoever has waited for `deadlock_timeout` first, which is the migration.
    await other.query('lock table public.crn_schedule in access exclusive mode').catch(() => undefined);
    await other.rollbackTransaction();
    await other.release();
    await starting;

    expect(await occurrenceKey()).toMatchObject({ columns: 'scheduled_at_unix_ms, schedule_id' });
  });

  it('go on where the order of that key was interrupted, outside a transaction', async () => {
    await olderTables();
    await database.query(
      `create unique index crn_run_occurrence_time_key
         on public.crn_run (scheduled_at_unix_ms, schedule_id) where origin = 'schedule'`,
    );
    await database.query('drop index crn_run_occurrence_key');
    await start();

    expect(await occurrenceKey()).toMatchObject({ columns: 'scheduled_at_unix_ms, schedule_id' });
  });

  it('build no index anew in the host’s run after autoMigrate', async () => {
    await start();
    const before = await occurrenceKey();
    await (await hostSource('public')).runMigrations();

    expect(await occurrenceKey()).toEqual(before);
  });
});
