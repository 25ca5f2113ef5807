import { setTimeout as delay } from 'node:timers/promises';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle } from '../harness/execution.js';
import { withNodes } from '../harness/nodes.js';
import type { Bench, Line, Row } from '../harness/row.js';
import { resetStatements, statementUsages } from '../harness/server-usage.js';

const HOUR_MS = 3_600_000;

/** What a node does when it starts is over by then, and the server has counted it. */
const START_MS = 12_000;

const CONTESTS: readonly (readonly [name: ContestantName, stored: number])[] = [
  ['cron-store', 100_000],
  ['cron-store', 100],
  ['graphile-worker', 100_000],
  ['pg-boss', 100_000],
];

export const idle: Row = {
  name: 'idle',
  title: 'Nothing is due for an hour, one node: what it asks of the database, and what it uses itself',
  async measure(bench) {
    // All at the same time, each on a database of its own: what does next to nothing does not disturb.
    const contests = CONTESTS.filter(([name]) => bench.isChosen(name));
    return Promise.all(contests.map(([name, stored]) => lineOf(bench, name, stored)));
  },
};

async function lineOf({ server, isQuick }: Bench, name: ContestantName, stored: number): Promise<Line> {
  // Whole multiples of the intervals at which nodes look around.
  const seconds = isQuick ? 10 : 60;
  const contestant = await contestantNamed(name);
  const figures = await server.withDatabase(contestant, async (database) => {
    await contestant.store(database, {
      count: stored,
      firstAtUnixMs: secondIn(HOUR_MS),
      spreadMs: HOUR_MS,
    });
    await settle(database);
    return withNodes({ contestant: name, url: database.url, settings: {} }, 1, async ([node]) => {
      await delay(START_MS);
      await resetStatements(database);
      const rowsBefore = await rowsRead(database);
      const before = await node?.ask('usage', false);
      await delay(seconds * 1_000);
      const after = await node?.ask('usage', false);
      const rows = (await rowsRead(database)) - rowsBefore;
      const statements = await statementUsages(database);
      return {
        'statements/s': statements.reduce((sum, { calls }) => sum + calls, 0) / seconds,
        'rows read/s': rows / seconds,
        'node CPU ms/s': ((after?.cpuMs ?? 0) - (before?.cpuMs ?? 0)) / seconds,
        'server ms/s': statements.reduce((sum, { ms }) => sum + ms, 0) / seconds,
      };
    });
  });
  return { label: `${name}, ${stored} stored`, rounds: [figures] };
}

async function rowsRead(database: Database): Promise<number> {
  await database.query('select pg_stat_force_next_flush()');
  return database.value(
    `select sum(coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0))::float8 as value
     from pg_stat_user_tables`,
  );
}
