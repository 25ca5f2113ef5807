import type { TestDatabase } from '../../../support/database.js';

/** What PostgreSQL's catalog says about the tables of one schema. */
export interface Catalog {
  /** By table and column: the type, and whether it may be null. */
  readonly columns: Readonly<Record<string, Readonly<Record<string, string>>>>;
  readonly constraints: readonly {
    readonly table: string;
    readonly name: string;
    readonly definition: string;
  }[];
  /** Definitions as PostgreSQL writes them, without the name of the schema. */
  readonly indexes: readonly { readonly table: string; readonly name: string; readonly definition: string }[];
}

export async function catalogOf(database: TestDatabase, schema: string): Promise<Catalog> {
  const columns = await database.query<{ table: string; name: string; type: string }>(
    `select c.relname as table, a.attname as name,
       format_type(a.atttypid, a.atttypmod) || case when a.attnotnull then ' not null' else '' end as type
     from pg_attribute a join pg_class c on c.oid = a.attrelid
     where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relkind = 'r' and c.relname like 'crn\\_%'
       and a.attnum > 0 and not a.attisdropped
     order by c.relname, a.attnum`,
    [schema],
  );
  const constraints = await database.query<Catalog['constraints'][number]>(
    `select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
     from pg_constraint k join pg_class c on c.oid = k.conrelid
     where c.relnamespace = to_regnamespace(quote_ident($1)) and c.relname like 'crn\\_%' and k.contype <> 'n'
     order by c.relname, k.conname`,
    [schema],
  );
  const indexes = await database.query<Catalog['indexes'][number]>(
    `select t.relname as table, i.relname as name,
       replace(pg_get_indexdef(i.oid), quote_ident($1) || '.', '') as definition
     from pg_index x join pg_class i on i.oid = x.indexrelid join pg_class t on t.oid = x.indrelid
     where i.relnamespace = to_regnamespace(quote_ident($1)) and t.relname like 'crn\\_%'
     order by t.relname, i.relname`,
    [schema],
  );
  const byTable: Record<string, Record<string, string>> = {};
  for (const { table, name, type } of columns) {
    byTable[table] = { ...byTable[table], [name]: type };
  }
  return { columns: byTable, constraints, indexes };
}
