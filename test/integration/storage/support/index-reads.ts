import type { Storage } from '../../../../lib/storage/index.js';
import type { TestDatabase } from '../../../support/database.js';

/** How many entries of its indexes a piece of work read in the journal. */
export async function journalReads(
  database: TestDatabase,
  storage: Storage,
  work: () => Promise<unknown>,
): Promise<number> {
  const before = await readSoFar(database);
  await work();
  // Every connection counts for itself, and tells when its statement is over.
  await storage.connections.query('engine', 'select pg_stat_force_next_flush()');
  await storage.connections.query('heartbeat', 'select pg_stat_force_next_flush()');
  return (await readSoFar(database)) - before;
}

async function readSoFar(database: TestDatabase): Promise<number> {
  const [use] = await database.query<{ entries: string }>(
    `select pg_stat_force_next_flush(), coalesce(sum(idx_tup_read), 0) as entries
     from pg_stat_user_indexes where relname = 'crn_run'`,
  );
  return Number(use?.entries);
}
