import { DataSource, type DataSourceOptions } from 'typeorm';
import { connectionFault } from './connection-fault.js';

/** Any number that nothing else on this database locks. */
const MIGRATION_LOCK = 1_796_000_000;

/** Opens the data source and brings the application's tables up to date. */
export async function openMigrated(options?: DataSourceOptions): Promise<DataSource> {
  if (options?.type !== 'postgres' || options.url === undefined) {
    throw new Error('the data source is not one of PostgreSQL with a URL.');
  }
  const dataSource = await connect(options, options.url);
  try {
    await migrate(dataSource);
    return dataSource;
  } catch (error) {
    await dataSource.destroy();
    throw error;
  }
}

async function connect(options: DataSourceOptions, url: string): Promise<DataSource> {
  try {
    return await new DataSource(options).initialize();
  } catch (error) {
    throw connectionFault(url, error);
  }
}

/** Several nodes may start at once: one migrates, the others wait for it and find nothing left to do. */
async function migrate(dataSource: DataSource): Promise<void> {
  const session = dataSource.createQueryRunner();
  try {
    await session.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await session.query('create schema if not exists operations');
    await dataSource.runMigrations();
    await session.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]);
  } finally {
    await session.release();
  }
}
