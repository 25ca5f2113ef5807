import { quoteIdentifier } from '../../../migrations/quoting.js';

/** Whether this process deletes what is old: retention needs more than the rest of the store does. */
export interface PrunedTables {
  readonly runs: boolean;
  readonly audit: boolean;
}

/** Privileges by table, as a list that PostgreSQL pairs up. */
export interface NeededPrivileges {
  readonly tables: readonly string[];
  readonly privileges: readonly string[];
}

/** A table that the role of the connection may not use as it has to; none where it may, or where there is no such schema. */
export interface FoundPrivileges {
  readonly role: string;
  readonly has_usage: boolean;
  readonly table: string | null;
  /** Separated by commas, in the words of a grant. */
  readonly lacking: string | null;
}

/** What the statements of the store take, and no more, so that a role can be kept from the rest. */
export function neededPrivileges({ runs, audit }: PrunedTables): NeededPrivileges {
  const needed: Readonly<Record<string, readonly string[]>> = {
    crn_schedule: ['select', 'insert', 'update', 'delete'],
    crn_schedule_name: ['select', 'insert', 'delete'],
    crn_fire_request: ['select', 'insert', 'update', 'delete'],
    crn_run: ['select', 'insert', 'update', ...(runs ? ['delete'] : [])],
    crn_backfill: ['select', 'insert', 'update'],
    crn_hold: ['select', 'insert', 'update', 'delete'],
    crn_seed: ['select', 'insert', 'update'],
    // To lock a row takes the privilege to update it, and retention locks what it deletes.
    crn_audit: ['select', 'insert', ...(audit ? ['update', 'delete'] : [])],
    crn_store: ['select', 'insert', 'update'],
    crn_node: ['select', 'insert', 'update', 'delete'],
  };
  const pairs = Object.entries(needed).flatMap(([table, privileges]) =>
    privileges.map((privilege) => ({ table, privilege })),
  );
  return {
    tables: pairs.map(({ table }) => table),
    privileges: pairs.map(({ privilege }) => privilege),
  };
}

/** Parameters: the schema, and the privileges that are needed. One row for each table that lacks some, or one without. */
export const PRIVILEGES_SQL = `
  select current_user as role, has_schema_privilege(n.oid, 'usage') as has_usage, closed.table, closed.lacking
  from pg_catalog.pg_namespace n left join lateral (
    select c.relname as table, string_agg(needed.privilege, ', ' order by needed.position) as lacking
    from unnest($2::text[], $3::text[]) with ordinality as needed (table_name, privilege, position)
    join pg_catalog.pg_class c
      on c.relnamespace = n.oid and c.relname = needed.table_name and c.relkind in ('r', 'p')
    where not has_table_privilege(c.oid, needed.privilege)
    group by c.relname
  ) closed on true
  where n.nspname = $1 order by closed.table`;

/** What the role lacks, and the grants that mend it; undefined when it lacks nothing. */
export function missingPrivileges(schema: string, found: readonly FoundPrivileges[]): string | undefined {
  const closed = found.flatMap(({ table, lacking }) =>
    table === null || lacking === null ? [] : [{ table, lacking }],
  );
  const [first] = found;
  if (first === undefined || (first.has_usage && closed.length === 0)) {
    return undefined;
  }
  const [inSchema, role] = [quoteIdentifier(schema), quoteIdentifier(first.role)];
  const lack = first.has_usage
    ? `lacks ${closed.map(({ table, lacking }) => `${lacking} on ${table}`).join('; ')} in`
    : 'may not use';
  const grants = [
    ...(first.has_usage ? [] : [`grant usage on schema ${inSchema} to ${role};`]),
    ...closed.map(({ table, lacking }) => `grant ${lacking} on ${inSchema}.${table} to ${role};`),
  ];
  return `The role ${role} ${lack} the schema ${inSchema}. Let its owner run: ${grants.join(' ')}`;
}
