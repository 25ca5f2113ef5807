import { quoteIdentifier } from '../../migrations/quoting.js';

/** What the role of the connection may do, by the catalog. */
export interface FoundPrivileges {
  readonly role: string;
  readonly has_usage: boolean;
  /** Tables that it may not read and write, separated by commas; empty when there are none. */
  readonly closed_tables: string;
}

/** Parameters: the schema, the names of the tables. No row where there is no such schema. */
export const PRIVILEGES_SQL = `
  select current_user as role, has_schema_privilege(n.oid, 'usage') as has_usage, coalesce((
    select string_agg(c.relname, ', ' order by c.relname) from pg_catalog.pg_class c
    where c.relnamespace = n.oid and c.relname = any($2) and c.relkind in ('r', 'p')
      and not (has_table_privilege(c.oid, 'select') and has_table_privilege(c.oid, 'insert')
        and has_table_privilege(c.oid, 'update') and has_table_privilege(c.oid, 'delete'))
  ), '') as closed_tables
  from pg_catalog.pg_namespace n where n.nspname = $1`;

/** What the role lacks, and the grants that mend it; undefined when it lacks nothing. */
export function missingPrivileges(schema: string, found: FoundPrivileges | undefined): string | undefined {
  if (found === undefined || (found.has_usage && found.closed_tables === '')) {
    return undefined;
  }
  const [inSchema, role] = [quoteIdentifier(schema), quoteIdentifier(found.role)];
  const lack = found.has_usage ? `read and write ${found.closed_tables}` : 'use it';
  return (
    `The role ${role} may not ${lack} in the schema ${inSchema}. Let its owner run: ` +
    `grant usage on schema ${inSchema} to ${role}; ` +
    `grant select, insert, update, delete on all tables in schema ${inSchema} to ${role};`
  );
}
