import type { MigrationInterface } from 'typeorm';
import { createTables } from './1795910400000-create-tables.js';
import { addEnvironment } from './1795996800000-add-environment.js';
import { orderOccurrenceKey } from './1796040000000-order-occurrence-key.js';

/** Where the tables live. */
export interface CronStoreMigrationsOptions {
  /** The PostgreSQL schema, the same as the module's `schema` option. Default `public`. */
  readonly schema?: string;
}

/** A migration class as TypeORM's `migrations` option takes it. */
export type MigrationClass = new () => MigrationInterface;

/**
 * The store's migrations for one schema, oldest first, for the `migrations` option of a TypeORM data source. Every
 * step is idempotent and takes nothing away, so that it does not matter whether the host's migration run or `autoMigrate`
 * comes first, and a node of the previous version keeps running on the new schema.
 */
export function cronStoreMigrations(options: CronStoreMigrationsOptions = {}): MigrationClass[] {
  const schema = options.schema ?? 'public';
  return [createTables(schema), addEnvironment(schema), orderOccurrenceKey(schema)];
}
