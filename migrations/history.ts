import type { QueryRunner } from 'typeorm';
import { quoteIdentifier } from './quoting.js';

/** The history of `autoMigrate`: in the store's own schema, of the shape of TypeORM's. The host's run keeps its own. */
const HISTORY_TABLE = 'crn_migration';

/** Names of the migrations that were recorded, in a table that is created when it is missing. */
export async function recordedMigrations(
  queryRunner: QueryRunner,
  schema: string,
): Promise<ReadonlySet<string>> {
  const table = historyTable(schema);
  await queryRunner.query(
    `create table if not exists ${table} (id serial primary key, timestamp bigint not null, name varchar not null)`,
  );
  const rows: { name: string }[] = await queryRunner.query(`select name from ${table}`);
  return new Set(rows.map((row) => row.name));
}

/** Records a migration that was run. Its name ends with its timestamp, as TypeORM wants it. */
export async function recordMigration(queryRunner: QueryRunner, schema: string, name: string): Promise<void> {
  await queryRunner.query(`insert into ${historyTable(schema)} (timestamp, name) values ($1, $2)`, [
    Number(name.slice(-13)),
    name,
  ]);
}

/** Forgets a migration that is reverted, whoever reverts it, so that `autoMigrate` runs it again. */
export async function forgetMigration(queryRunner: QueryRunner, schema: string, name: string): Promise<void> {
  const table = historyTable(schema);
  const [found]: { exists: boolean }[] = await queryRunner.query(
    'select to_regclass($1) is not null as exists',
    [table],
  );
  if (found?.exists === true) {
    await queryRunner.query(`delete from ${table} where name = $1`, [name]);
  }
}

function historyTable(schema: string): string {
  return `${quoteIdentifier(schema)}.${HISTORY_TABLE}`;
}
