import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { DataSource, type QueryRunner } from 'typeorm';
import { cronStoreMigrations, type MigrationClass } from '../../lib/index.js';
import { run } from '../package/support/run.js';
import { createTestDatabase, options, type TestDatabase } from '../support/database.js';
import { previousTarball } from './support/previous.js';
import { type TableObject, tableObjects } from './support/tables.js';

interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

const present = cronStoreMigrations();
let folder: string;
let previous: readonly MigrationClass[];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-previous-'));
  await run('tar', ['-xzf', await previousTarball(), '-C', folder], { cwd: folder });
  const module = (await import(pathToFileURL(join(folder, 'package/dist/migrations/index.js')).href)) as Pick<
    typeof import('../../migrations/index.js'),
    'cronStoreMigrations'
  >;
  previous = module.cronStoreMigrations();
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

describe('the migrations of the previous version', () => {
  it('are what they were, and come first', async () => {
    const [before, now] = await Promise.all([readAll(previous), readAll(present)]);
    expect(before.length).toBeGreaterThan(0);
    expect(now.slice(0, before.length)).toEqual(before);
  });
});

describe('the migrations since the previous version', () => {
  let database: TestDatabase;
  let before: readonly TableObject[];
  let after: readonly TableObject[];

  beforeAll(async () => {
    database = await createTestDatabase();
    await up(database, previous);
    before = await tableObjects(database);
    await up(database, present.slice(previous.length));
    after = await tableObjects(database);
  });

  afterAll(async () => {
    await database.drop();
  });

  it('leave everything as it is that was there', () => {
    const now = new Map(after.map((object) => [keyOf(object), object]));
    expect(before.length).toBeGreaterThan(100);
    expect(before.map((object) => now.get(keyOf(object)))).toEqual(before);
  });

  it('refuse nothing that the previous version writes', () => {
    const known = new Set(before.map((object) => keyOf(object)));
    const tables = new Set(before.map(({ table }) => table));
    const restrictions = after.filter(
      (object) => object.isRestriction && tables.has(object.table) && !known.has(keyOf(object)),
    );
    expect(restrictions).toEqual([]);
  });
});

function keyOf({ kind, table, name }: TableObject): string {
  return [kind, table, name].join(' ');
}

/** Names, and what each runs on a database without anything. */
async function readAll(classes: readonly MigrationClass[]): Promise<Migration[]> {
  return Promise.all(
    classes.map(async (Class) => {
      const migration = new Class();
      const statements: string[] = [];
      const recorder = {
        query: async (statement: string) => {
          statements.push(statement);
          return [];
        },
      } as unknown as QueryRunner;
      await migration.up(recorder);
      return { name: migration.name ?? Class.name, statements };
    }),
  );
}

async function up(database: TestDatabase, classes: readonly MigrationClass[]): Promise<void> {
  const dataSource = await new DataSource(options(database.url)).initialize();
  const queryRunner = dataSource.createQueryRunner();
  try {
    for (const Class of classes) {
      await new Class().up(queryRunner);
    }
  } finally {
    await queryRunner.release();
    await dataSource.destroy();
  }
}
