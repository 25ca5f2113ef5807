import type { QueryRunner } from 'typeorm';
import { quoteIdentifier } from './quoting.js';

/** Asks first: `create schema if not exists` needs the CREATE privilege on the database even where it does nothing. */
export async function createSchemaWhereMissing(queryRunner: QueryRunner, schema: string): Promise<void> {
  const found: unknown[] = await queryRunner.query('select 1 from pg_namespace where nspname = $1', [schema]);
  if (found.length === 0) {
    await queryRunner.query(`create schema if not exists ${quoteIdentifier(schema)}`);
  }
}
