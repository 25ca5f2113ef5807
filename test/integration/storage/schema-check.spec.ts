import pg from 'pg';
import { StoreSchemaError } from '../../../lib/index.js';
import type { Connections } from '../../../lib/storage/connections/connections.js';
import { EXPECTED_COLUMNS, EXPECTED_INDEXES } from '../../../lib/storage/schema/expected-schema.js';
import { checkSchema } from '../../../lib/storage/schema/schema-check.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { type Catalog, catalogOf } from './support/catalog.js';
import { runMigrations } from './support/run-migrations.js';

describe('the check of the schema at boot', () => {
  let database: TestDatabase;
  let node: StoreApp | undefined;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await node?.close();
    node = undefined;
    await database.drop();
  });

  /** Boots without autoMigrate. */
  async function boot(schema = 'public'): Promise<StoreApp> {
    node = await startStoreApp({ url: database.url, store: { autoMigrate: false, schema } });
    return node;
  }

  async function refusal(schema = 'public'): Promise<Error> {
    const before = await catalogOf(database, schema);
    const error: unknown = await boot(schema).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreSchemaError);
    expect((error as Error).message).toMatch(
      /Run the migrations of `cronStoreMigrations\(\{ schema \}\)` .*, or set `autoMigrate: true`/,
    );
    expect(await catalogOf(database, schema)).toEqual(before);
    return error as Error;
  }

  it('refuses an empty database, and alters nothing (scenario 36)', async () => {
    const { message } = await refusal();

    for (const table of Object.keys(EXPECTED_COLUMNS)) {
      expect(message).toContain(`the table ${table} is missing`);
    }
  });

  it('refuses a schema that does not exist, naming it', async () => {
    await runMigrations(database, 'public');

    expect((await refusal('elsewhere')).message).toContain('The schema "elsewhere" is not ready');
  });

  it('accepts what the migrations made', async () => {
    await runMigrations(database, 'public');

    expect((await boot()).engine.status().state).toBe('running');
  });

  it('accepts a newer schema: more columns, tables and indexes (scenario 36)', async () => {
    await runMigrations(database, 'public');
    await database.query('alter table crn_schedule add column newer text');
    await database.query('alter table crn_run add column newer int not null default 5');
    await database.query('create table crn_newer (id int)');
    await database.query('create index crn_run_newer_idx on crn_run (job_name)');

    expect((await boot()).engine.status().state).toBe('running');
  });

  it('refuses a table of another shape under the same name', async () => {
    await database.query('create table crn_schedule (id int)');

    expect((await refusal()).message).toContain(
      'the column crn_schedule.id is "integer" instead of "uuid not null"',
    );
  });

  it('refuses a unique index that is one in name only', async () => {
    await runMigrations(database, 'public');
    await database.query('drop index crn_run_occurrence_key');
    await database.query('create index crn_run_occurrence_key on crn_run (schedule_id)');

    expect((await refusal()).message).toContain('crn_run_occurrence_key');
  });

  it('refuses an index that PostgreSQL marks as invalid', async () => {
    await runMigrations(database, 'public');
    await database.query(
      `update pg_index set indisvalid = false where indexrelid = 'crn_run_occurrence_key'::regclass`,
    );

    expect((await refusal()).message).toContain('the index crn_run_occurrence_key on crn_run is missing');
  });
});

describe('the check of a partial or outdated schema', () => {
  let complete: TestDatabase;
  let whole: Catalog;
  let client: pg.Client;
  /** The connections of a store, reduced to the one in whose transaction the schema is broken. */
  let connections: Connections;

  beforeAll(async () => {
    complete = await createTestDatabase();
    await runMigrations(complete, 'public');
    whole = await catalogOf(complete, 'public');
    client = new pg.Client({ connectionString: complete.url });
    await client.connect();
    const query = async (_: string, text: string, values: unknown[]) =>
      (await client.query(text, values)).rows;
    connections = { query } as unknown as Connections;
  });

  afterAll(async () => {
    await client.end();
    await complete.drop();
  });

  const columns = Object.entries(EXPECTED_COLUMNS).flatMap(([table, types]) =>
    Object.keys(types).map((column) => [table, column] as const),
  );

  it.each(columns)('refuses a missing column %s.%s', async (table, column) => {
    await refuses(
      `alter table ${table} drop column ${column} cascade`,
      `the column ${table}.${column} is missing`,
    );
  });

  it.each(Object.keys(EXPECTED_COLUMNS))('refuses a missing table %s', async (table) => {
    await refuses(`drop table ${table}`, `the table ${table} is missing`);
  });

  it.each(Object.entries(EXPECTED_INDEXES))('refuses a missing index %s on %s', async (index, table) => {
    const isConstraint = whole.constraints.some((constraint) => constraint.name === index);
    await refuses(
      isConstraint ? `alter table ${table} drop constraint ${index} cascade` : `drop index ${index}`,
      `the index ${index} on ${table} is missing`,
    );
  });

  it.each([
    ['crn_schedule', 'alter column version drop not null', /crn_schedule\.version is "integer" instead of/],
    ['crn_run', 'alter column missed_count type integer', /crn_run\.missed_count is "integer not null"/],
  ])('refuses a column of %s that has another type: %s', async (table, change, message) => {
    await refuses(`alter table ${table} ${change}`, message);
  });

  /** Breaks the schema in a transaction that is rolled back, and checks it within. */
  async function refuses(change: string, message: string | RegExp) {
    await client.query('begin');
    try {
      await client.query(change);
      await expect(checkSchema(connections, new StoreSchema('public'))).rejects.toThrow(message);
    } finally {
      await client.query('rollback');
    }
  }
});
