import { DataSource } from 'typeorm';
import { cronStoreMigrations } from '../../../../lib/index.js';
import { options, type TestDatabase } from '../../../support/database.js';

/** Makes the store's tables the way a host does: with its own migration run. */
export async function runMigrations(database: TestDatabase, schema: string): Promise<void> {
  const source = new DataSource({ ...options(database.url), migrations: cronStoreMigrations({ schema }) });
  await source.initialize();
  try {
    await source.runMigrations();
  } finally {
    await source.destroy();
  }
}
