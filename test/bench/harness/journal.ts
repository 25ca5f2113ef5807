import { insertedColumns } from './columns.js';
import type { Database } from './database.js';

const DAY_MS = 86_400_000;

/** One run in so many has failed. */
const FAILED_EACH = 100;

/**
 * Fills the journal with copies of the runs in `bench_sample`, one of each for every day before, with ids that sort by
 * time as the store's do. Indexes are made anew behind it, as in a journal that was compacted.
 */
export async function multiplyRuns(
  database: Database,
  { fromDaysAgo, days }: { readonly fromDaysAgo: number; readonly days: number },
): Promise<void> {
  const indexes = days > 1 ? await dropIndexes(database) : [];
  const names = await insertedColumns(database, 'crn_run');
  const columns = names.map((name) => valueOf(name));
  await database.query(
    `insert into crn_run (${names.join(', ')})
     select ${columns.join(', ')}
     from generate_series($1::int, $2::int, -1) as days_ago
     cross join lateral (
       select r.*, lpad(to_hex(r.claimed_at_unix_ms - days_ago::bigint * ${DAY_MS}), 12, '0') as time,
         md5(r.id::text || days_ago) as noise
       from bench_sample r
     ) r`,
    [fromDaysAgo + days - 1, fromDaysAgo],
  );
  for (const index of indexes) {
    await database.query(index);
  }
}

function valueOf(name: string): string {
  if (name === 'id') {
    return `(left(time, 8) || '-' || right(time, 4) || '-7' || left(noise, 3) || '-8' || substr(noise, 4, 3) || '-'
      || substr(noise, 7, 12))::uuid`;
  }
  if (name === 'status') {
    return `case when ('x' || left(noise, 6))::bit(24)::int % ${FAILED_EACH} = 0 then 'failed' else r.status end`;
  }
  return name.endsWith('_at_unix_ms') ? `r.${name} - days_ago::bigint * ${DAY_MS}` : `r.${name}`;
}

/** @returns the statements that make them again. */
async function dropIndexes(database: Database): Promise<readonly string[]> {
  const indexes = await database.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
     where tablename = 'crn_run' and indexname not in (select conname from pg_constraint)`,
  );
  for (const { name } of indexes) {
    await database.query(`drop index ${name}`);
  }
  return indexes.map(({ definition }) => definition);
}
