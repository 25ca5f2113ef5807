import { DataSource, type DataSourceOptions, type QueryRunner } from 'typeorm';
import { createSchemaWhereMissing } from '../../../migrations/create-schema.js';
import { recordedMigrations, recordMigration } from '../../../migrations/history.js';
import { cronStoreMigrations } from '../../../migrations/index.js';
import { codeOf } from '../../error-reading.js';
import { INSUFFICIENT_PRIVILEGE } from '../connections/error-code.js';
import { connectionOptionsOf } from '../connections/connection-options.js';
import { outliveDeadlocks } from '../connections/outlive-deadlocks.js';
import { MigrationRefusedError } from './migration-refused.error.js';

/**
 * Brings the store's tables up to date, on a connection of its own. Safe from any number of nodes at once: the
 * transaction-scoped advisory lock lets one in at a time, and whoever comes later finds nothing pending.
 */
export async function migrate(host: DataSource, schema: string): Promise<void> {
  const dataSource = new DataSource(migrationOptionsOf(host));
  await dataSource.initialize();
  try {
    const queryRunner = dataSource.createQueryRunner();
    try {
      // Nodes of the version before go on meanwhile, and lock tables in an order of their own.
      await outliveDeadlocks(() => migrateWith(queryRunner, schema));
    } finally {
      await queryRunner.release();
    }
  } finally {
    await dataSource.destroy();
  }
}

async function migrateWith(queryRunner: QueryRunner, schema: string): Promise<void> {
  // READ COMMITTED is stated, because under a stricter default the winner's work stays invisible behind the lock.
  await queryRunner.startTransaction('READ COMMITTED');
  try {
    await queryRunner.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `nestjs-cron-store:${schema}`,
    ]);
    await createSchemaWhereMissing(queryRunner, schema);
    await runPending(queryRunner, schema);
    await queryRunner.commitTransaction();
  } catch (error) {
    // Where the connection is lost there is nothing left to roll back, and it is the loss that whoever waits is to hear of.
    await queryRunner.rollbackTransaction().catch(() => undefined);
    if (codeOf(error) === INSUFFICIENT_PRIVILEGE) {
      throw new MigrationRefusedError(await roleOf(queryRunner), schema, error);
    }
    throw error;
  }
}

async function roleOf(queryRunner: QueryRunner): Promise<string> {
  const [row]: { role: string }[] = await queryRunner.query('select current_user as role');
  return row?.role ?? '';
}

/**
 * Runs what the history does not name. TypeORM's own executor would do the same, but for schemas whose name needs
 * quotes, or holds a dot.
 */
async function runPending(queryRunner: QueryRunner, schema: string): Promise<void> {
  const recorded = await recordedMigrations(queryRunner, schema);
  for (const Migration of cronStoreMigrations({ schema })) {
    const migration = new Migration();
    const name = migration.name ?? Migration.name;
    if (!recorded.has(name)) {
      await migration.up(queryRunner);
      await recordMigration(queryRunner, schema, name);
    }
  }
}

/** Nothing of the host's data source belongs to our migrations but the connection, which `extra` hands to the driver. */
function migrationOptionsOf(host: DataSource): DataSourceOptions {
  return {
    type: 'postgres',
    extra: { ...connectionOptionsOf(host), max: 1 },
    entities: [],
    installExtensions: false,
    logging: false,
  };
}
