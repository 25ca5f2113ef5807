import type { QueryRunner } from 'typeorm';
import { cronStoreMigrations } from '../../../migrations/index.js';
import { quoteIdentifier } from '../../../migrations/quoting.js';

/** What makes a schema and its tables. */
export interface MigrationSql {
  /** Apart from the rest: it needs the CREATE privilege on the database even where the schema is there. */
  readonly createSchema: string;
  /** What the migrations run in a schema that is empty, in their order. */
  readonly statements: readonly string[];
}

/** The statements of the migrations of a schema. */
export async function migrationSql(schema: string): Promise<MigrationSql> {
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
  return {
    createSchema: `create schema if not exists ${quoteIdentifier(schema)}`,
    statements: statements.filter((statement) => !/^\s*(?:select|create schema)\b/i.test(statement)),
  };
}
