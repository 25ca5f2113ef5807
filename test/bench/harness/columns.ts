import type { Database } from './database.js';

/** The columns of a table that an insert gives, whatever the table has come to be. */
export async function insertedColumns(database: Database, table: string): Promise<readonly string[]> {
  const columns = await database.query<{ name: string }>(
    `select column_name as name from information_schema.columns
     where table_name = $1 and is_generated = 'NEVER' and is_identity = 'NO'`,
    [table],
  );
  return columns.map(({ name }) => name);
}
