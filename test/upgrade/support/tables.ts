import type { TestDatabase } from '../../support/database.js';

/** Something that a migration made. */
export interface TableObject {
  readonly kind: 'column' | 'constraint' | 'index' | 'trigger';
  readonly table: string;
  readonly name: string;
  /** Everything about it, as the server says it; but the columns of a unique index sorted: what it refuses has no order. */
  readonly definition: string;
  /** Whether a row may be refused for it that was accepted without it. */
  readonly isRestriction: boolean;
}

const OBJECTS_SQL = `
  with store_table as (
    select oid, relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
  )
  select 'column' as kind, t.relname as table, a.attname as name,
    concat_ws(' ', format_type(a.atttypid, a.atttypmod), case when a.attnotnull then 'not null' end,
      nullif(a.attidentity, ''), nullif(a.attgenerated, ''), pg_get_expr(d.adbin, d.adrelid)) as definition,
    a.attnotnull and d.adbin is null and a.attidentity = '' as "isRestriction"
  from store_table t
  join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select 'constraint', t.relname, c.conname, pg_get_constraintdef(c.oid), true
  from store_table t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n'
  union all
  select 'index', t.relname, i.indexrelid::regclass::text,
    case when i.indisunique
      then concat_ws(' ', 'unique', (
        select string_agg(indexed, ', ' order by indexed)
        from generate_series(1, i.indnkeyatts) as position, pg_get_indexdef(i.indexrelid, position, true) as indexed
      ), 'where', pg_get_expr(i.indpred, i.indrelid))
      else pg_get_indexdef(i.indexrelid) end, i.indisunique
  from store_table t join pg_index i on i.indrelid = t.oid
  union all
  select 'trigger', t.relname, g.tgname, pg_get_triggerdef(g.oid), true
  from store_table t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  order by 1, 2, 3`;

/** What the tables of a database are made of. */
export async function tableObjects(database: TestDatabase): Promise<TableObject[]> {
  return database.query<TableObject>(OBJECTS_SQL);
}
