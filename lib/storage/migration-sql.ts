import type { QueryRunner } from 'typeorm';
import { cronStoreMigrations } from '../../migrations/index.js';

/** The statements that the migrations of a schema run on a database without any of it, in their order. */
export async function migrationSql(schema: string): Promise<readonly string[]> {
  const statements: string[] = [];
  // Migrations ask before they create; to whoever finds nothing, everything is missing.
  const recorder = {
    query: async (statement: string) => {
      statements.push(statement);
      return [];
    },
  } as unknown as QueryRunner;
  for (const Migration of cronStoreMigrations({ schema })) {
    await new Migration().up(recorder);
  }
  return statements.filter((statement) => !/^\s*select\b/i.test(statement));
}
