import { DataSource, MigrationExecutor, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { createSchemaWhereMissing } from '../../migrations/create-schema.js';
import { cronStoreMigrations } from '../../migrations/index.js';
import { connectionExtraOf, definedOnly, postgresOptionsOf } from './connection-options.js';

/** Where the store keeps the history of its own migrations, in its own schema. */
const HISTORY_TABLE = 'crn_migration';

/**
 * Brings the store's tables up to date, on a connection of its own. Safe from any number of nodes at once: the
 * transaction-scoped advisory lock lets one in at a time, and whoever comes later finds nothing pending.
 */
export async function migrate(host: DataSource, schema: string): Promise<void> {
  const dataSource = new DataSource(migrationOptionsOf(host, schema));
  await dataSource.initialize();
  try {
    const queryRunner = dataSource.createQueryRunner();
    try {
      await migrateWith(dataSource, queryRunner, schema);
    } finally {
      await queryRunner.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

async function migrateWith(dataSource: DataSource, queryRunner: QueryRunner, schema: string): Promise<void> {
  // READ COMMITTED is stated, because under a stricter default the winner's work stays invisible behind the lock.
  await queryRunner.startTransaction('READ COMMITTED');
  try {
    await queryRunner.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `nestjs-cron-store:${schema}`,
    ]);
    await createSchemaWhereMissing(queryRunner, schema);
    await new MigrationExecutor(dataSource, queryRunner).executePendingMigrations();
    await queryRunner.commitTransaction();
  } catch (error) {
    await queryRunner.rollbackTransaction();
    throw error;
  }
}

/** Only what says how to reach the server: nothing else of the host's data source belongs to our migrations. */
function migrationOptionsOf(host: DataSource, schema: string): DataSourceOptions {
  const options = postgresOptionsOf(host);
  const {
    url,
    host: hostName,
    port,
    username,
    password,
    database,
    ssl,
  } = options.replication?.master ?? options;
  return {
    type: 'postgres',
    ...definedOnly({ url, host: hostName, port, username, password, database, ssl }),
    extra: connectionExtraOf(options),
    schema,
    poolSize: 1,
    entities: [],
    migrations: cronStoreMigrations({ schema }),
    migrationsTableName: HISTORY_TABLE,
    installExtensions: false,
    logging: false,
  };
}
