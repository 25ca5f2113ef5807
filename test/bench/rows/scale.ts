import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle, untilRecorded } from '../harness/execution.js';
import { withNodes } from '../harness/nodes.js';
import { type Candidate, measureInRounds } from '../harness/rounds.js';
import type { Row } from '../harness/row.js';
import { costOf, resetStatements, STATEMENTS, statementUsages } from '../harness/server-usage.js';

const NAME: ContestantName = 'cron-store';
const SIZES = [10_000, 100_000, 1_000_000];
const QUICK_SIZES = [10_000, 100_000];
const FIRES = 10_000;
const DAY_MS = 86_400_000;

export const scale: Row = {
  name: 'scale',
  title: `${FIRES} fires that are due, among schedules that are not`,
  async measure({ server, isQuick, rounds }) {
    const sizes = isQuick ? QUICK_SIZES : SIZES;
    const contestant = await contestantNamed(NAME);
    return server.withDatabases(contestant, sizes.length, async (databases) => {
      for (const [index, database] of databases.entries()) {
        const count = sizes[index] ?? 0;
        await contestant.store(database, { count, firstAtUnixMs: secondIn(DAY_MS), spreadMs: DAY_MS });
      }
      return measureInRounds(
        databases.map((database, index) => candidate(database, sizes[index] ?? 0)),
        rounds,
      );
    });
  },
};

function candidate(database: Database, size: number): Candidate {
  return {
    label: `${size} stored`,
    async measure() {
      const contestant = await contestantNamed(NAME);
      await contestant.store(database, { count: FIRES, firstAtUnixMs: secondIn(-2_000) });
      await settle(database);
      await resetStatements(database);
      return withNodes({ contestant: NAME, url: database.url, settings: {} }, 1, async ([node]) => {
        await node?.ask('untilStarted', FIRES);
        await untilRecorded(database, contestant);
        const nowUnixMs = Date.now();
        const record = await node?.ask('takeRecord');
        const usages = await statementUsages(database);
        const msOf = (marker: string) => {
          const { ms, calls } = costOf(usages, marker);
          return ms / calls;
        };
        return {
          'fires/s': (FIRES * 1_000) / (nowUnixMs - (record?.firstAtUnixMs ?? 0)),
          'lock ms/call': msOf(STATEMENTS.lock),
          'write ms/call': msOf(STATEMENTS.write),
          'outcomes ms/call': msOf(STATEMENTS.outcomes),
          'agenda ms/call': msOf(STATEMENTS.agenda),
        };
      });
    },
  };
}
