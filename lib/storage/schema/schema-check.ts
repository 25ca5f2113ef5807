import { storeCommand } from '../../store-command.js';
import type { Connections } from '../connections/connections.js';
import { EXPECTED_COLUMNS, EXPECTED_INDEXES } from './expected-schema.js';
import {
  type FoundPrivileges,
  missingPrivileges,
  neededPrivileges,
  PRIVILEGES_SQL,
  type PrunedTables,
} from './privileges.js';
import { StoreSchemaError } from './store-schema.error.js';
import type { StoreSchema } from './store-schema.js';

const COLUMNS_SQL = `
  select c.relname as table, a.attname as column,
    format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as type
  from pg_catalog.pg_namespace n
  join pg_catalog.pg_class c on c.relnamespace = n.oid and c.relname = any($2) and c.relkind in ('r', 'p')
  join pg_catalog.pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
  where n.nspname = $1`;

const INDEXES_SQL = `
  select i.relname as index, t.relname as table, x.indisunique as unique from pg_catalog.pg_namespace n
  join pg_catalog.pg_class i on i.relnamespace = n.oid and i.relname = any($2)
  join pg_catalog.pg_index x on x.indexrelid = i.oid and x.indisvalid
  join pg_catalog.pg_class t on t.oid = x.indrelid
  where n.nspname = $1`;

interface FoundColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
}

interface FoundIndex {
  readonly index: string;
  readonly table: string;
  readonly unique: boolean;
}

/**
 * Compares the catalog with what this version needs. What is more than that is accepted: a newer version may have
 * migrated already.
 *
 * @param pruned the tables that this process deletes old rows of; none unless given.
 * @throws StoreSchemaError that names what is missing, a privilege included, and says what to run.
 */
export async function checkSchema(
  connections: Connections,
  schema: StoreSchema,
  pruned: PrunedTables = { runs: false, audit: false },
): Promise<void> {
  const columns = await connections.query<FoundColumn>('manager', COLUMNS_SQL, [
    schema.name,
    Object.keys(EXPECTED_COLUMNS),
  ]);
  const indexes = await connections.query<FoundIndex>('manager', INDEXES_SQL, [
    schema.name,
    Object.keys(EXPECTED_INDEXES),
  ]);
  const tables = new Set(columns.map((row) => row.table));
  const faults = Object.keys(EXPECTED_COLUMNS).flatMap((table) =>
    tables.has(table)
      ? faultsOfColumns(table, columns).concat(faultsOfIndexes(table, indexes))
      : [`the table ${table} is missing`],
  );
  if (faults.length > 0) {
    throw new StoreSchemaError(
      `The schema ${JSON.stringify(schema.name)} is not ready for this version of nestjs-cron-store: ${faults.join('; ')}. ` +
        `Run the migrations of \`cronStoreMigrations({ schema })\` with the migrations of your application, run \`${storeCommand(schema.name, 'migrate', 'up')}\`, or set \`autoMigrate: true\`.`,
    );
  }
  const needed = neededPrivileges(pruned);
  const found = await connections.query<FoundPrivileges>('manager', PRIVILEGES_SQL, [
    schema.name,
    needed.tables,
    needed.privileges,
  ]);
  const lacking = missingPrivileges(schema.name, found);
  if (lacking !== undefined) {
    throw new StoreSchemaError(lacking);
  }
}

function faultsOfColumns(table: string, found: readonly FoundColumn[]): string[] {
  const types = new Map(found.filter((row) => row.table === table).map((row) => [row.column, row.type]));
  return Object.entries(EXPECTED_COLUMNS[table] ?? {}).flatMap(([column, type]) => {
    const actual = types.get(column);
    if (actual === undefined) {
      return [`the column ${table}.${column} is missing`];
    }
    return actual === type ? [] : [`the column ${table}.${column} is "${actual}" instead of "${type}"`];
  });
}

function faultsOfIndexes(table: string, found: readonly FoundIndex[]): string[] {
  const names = Object.keys(EXPECTED_INDEXES).filter((index) => EXPECTED_INDEXES[index] === table);
  return names.flatMap((name) => {
    const actual = found.find((row) => row.index === name && row.table === table);
    if (actual === undefined) {
      return [`the index ${name} on ${table} is missing`];
    }
    // Keys uphold guarantees, and are named so; an index only serves.
    return name.endsWith('key') && !actual.unique ? [`the index ${name} on ${table} is not unique`] : [];
  });
}
