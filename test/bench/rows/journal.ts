import { makeDue } from '../contestants/cron-store.js';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { NamedContestant } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { NOTICES_SOON, secondIn, settle } from '../harness/execution.js';
import { multiplyRuns } from '../harness/journal.js';
import type { NodeProcess } from '../harness/node-process.js';
import { untilExecuted, withNodes } from '../harness/nodes.js';
import { measureInRounds } from '../harness/rounds.js';
import type { Figures, Row } from '../harness/row.js';
import { costOf, resetStatements, STATEMENTS, statementUsages } from '../harness/server-usage.js';

const NAME: ContestantName = 'cron-store';
/** Runs that the store itself makes, of which the others are copies with other times. */
const FIRES = 10_000;
const REQUESTS = 50;
const DAY_MS = 86_400_000;

/** The journal goes back less far, but for what the retention of each round is to delete. */
const RETENTION_DAYS = 5_000;

const FILTERS = { all: {}, failed: { status: 'failed' } };

export const journal: Row = {
  name: 'journal',
  title:
    'What statements cost the server in ms, with few runs in the journal and with many: just after a checkpoint, and again',
  async measure({ server, isQuick, rounds }) {
    const sizes = [2 * FIRES, (isQuick ? 20 : 500) * FIRES];
    const contestant = await contestantNamed(NAME);
    return server.withDatabases(contestant, sizes.length, async (databases) => {
      const firstAtUnixMs = secondIn(-2_000);
      for (const [index, database] of databases.entries()) {
        await fill({ database, contestant, firstAtUnixMs }, sizes[index] ?? 0);
      }
      let round = 0;
      return measureInRounds(
        databases.map((database, index) => ({
          label: index === 0 ? 'few runs' : `${sizes[index]} runs`,
          measure: () => measureCosts({ database, contestant, firstAtUnixMs }, (round += 1)),
        })),
        rounds,
      );
    });
  },
};

interface Filled {
  readonly database: Database;
  readonly contestant: NamedContestant;
  /** Of the schedules whose runs are in the journal, and which fire. */
  readonly firstAtUnixMs: number;
}

async function fill({ database, contestant, firstAtUnixMs }: Filled, size: number): Promise<void> {
  await contestant.store(database, { count: FIRES, firstAtUnixMs });
  await settle(database);
  await withNodes({ contestant: NAME, url: database.url, settings: {} }, 1, ([node]) =>
    untilExecuted(node, FIRES, { database, contestant }),
  );
  await database.query(`create table bench_sample as select * from crn_run order by id desc limit ${FIRES}`);
  await multiplyRuns(database, { fromDaysAgo: 1, days: size / FIRES - 1 });
}

async function measureCosts(
  { database, contestant, firstAtUnixMs }: Filled,
  round: number,
): Promise<Figures> {
  await makeDue(database, firstAtUnixMs);
  await multiplyRuns(database, { fromDaysAgo: RETENTION_DAYS + round, days: 1 });
  await settle(database);
  await resetStatements(database);
  const settings = { ...NOTICES_SOON, runRetention: RETENTION_DAYS * DAY_MS };
  return withNodes({ contestant: NAME, url: database.url, settings }, 1, async ([node]) => {
    await untilExecuted(node, FIRES, { database, contestant });
    const afterCheckpoint = await statementUsages(database);
    await resetStatements(database);
    await makeDue(database, firstAtUnixMs);
    await untilExecuted(node, FIRES, { database, contestant });
    const usages = await statementUsages(database);
    return {
      'lock ms/fire': costOf(usages, STATEMENTS.lock).ms / FIRES,
      'write ms/fire': costOf(usages, STATEMENTS.write).ms / FIRES,
      'outcome ms/fire': costOf(usages, STATEMENTS.outcomes).ms / FIRES,
      'write ms/fire after a checkpoint': costOf(afterCheckpoint, STATEMENTS.write).ms / FIRES,
      'outcome ms/fire after a checkpoint': costOf(afterCheckpoint, STATEMENTS.outcomes).ms / FIRES,
      'retention ms/run': costOf(afterCheckpoint, STATEMENTS.retention).ms / FIRES,
      ...(await pageCost(database, node, 'find_page', 'all')),
      ...(await pageCost(database, node, 'find_page', 'failed')),
      ...(await pageCost(database, node, 'find_cursor', 'all')),
      ...(await pageCost(database, node, 'find_cursor', 'failed')),
    };
  });
}

/** What a request for a page costs the server, without the total, which has a statement of its own. */
async function pageCost(
  database: Database,
  node: NodeProcess | undefined,
  action: string,
  filter: keyof typeof FILTERS,
): Promise<Figures> {
  await resetStatements(database);
  for (let request = 0; request < REQUESTS; request += 1) {
    await node?.ask('manage', `sys/cron/run/${action}`, FILTERS[filter]);
  }
  const usages = await statementUsages(database);
  const reading = usages.filter(
    ({ text }) => text.includes('crn_run r') && !text.includes('count(*) filter'),
  );
  const what = filter === 'all' ? action : `${action} ${filter}`;
  return {
    [`${what} ms`]: reading.reduce((sum, { ms }) => sum + ms, 0) / REQUESTS,
    [`${what} pages`]: reading.reduce((sum, { pages }) => sum + pages, 0) / REQUESTS,
  };
}
