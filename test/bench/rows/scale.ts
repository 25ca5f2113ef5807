import { makeDue } from '../contestants/cron-store.js';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { NamedContestant } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { NOTICES_SOON, secondIn, settle } from '../harness/execution.js';
import { untilExecuted, withNodes } from '../harness/nodes.js';
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
  title: `${FIRES} fires that are due, among schedules that are not: just after a checkpoint, and again`,
  async measure({ server, isQuick, rounds }) {
    const sizes = isQuick ? QUICK_SIZES : SIZES;
    const contestant = await contestantNamed(NAME);
    return server.withDatabases(contestant, sizes.length, async (databases) => {
      const firstAtUnixMs = secondIn(-2_000);
      for (const [index, database] of databases.entries()) {
        const count = sizes[index] ?? 0;
        await contestant.store(database, { count, firstAtUnixMs: secondIn(DAY_MS), spreadMs: DAY_MS });
        await contestant.store(database, { count: FIRES, firstAtUnixMs });
      }
      return measureInRounds(
        databases.map((database, index) =>
          candidate({ database, contestant, firstAtUnixMs, size: sizes[index] ?? 0 }),
        ),
        rounds,
      );
    });
  },
};

interface Filled {
  readonly database: Database;
  readonly contestant: NamedContestant;
  /** Of those that fire. */
  readonly firstAtUnixMs: number;
  readonly size: number;
}

function candidate({ database, contestant, firstAtUnixMs, size }: Filled): Candidate {
  return {
    label: `${size} stored`,
    async measure() {
      await makeDue(database, firstAtUnixMs);
      await settle(database);
      const program = { contestant: NAME, url: database.url, settings: NOTICES_SOON };
      return withNodes(program, 1, async ([node]) => {
        const afterCheckpoint = await untilExecuted(node, FIRES, { database, contestant });
        await resetStatements(database);
        await makeDue(database, firstAtUnixMs);
        const again = await untilExecuted(node, FIRES, { database, contestant });
        const usages = await statementUsages(database);
        const msOf = (marker: string) => {
          const { ms, calls } = costOf(usages, marker);
          return ms / calls;
        };
        return {
          'fires/s': again.firesPerSecond,
          'fires/s after a checkpoint': afterCheckpoint.firesPerSecond,
          'lock ms/call': msOf(STATEMENTS.lock),
          'write ms/call': msOf(STATEMENTS.write),
          'outcomes ms/call': msOf(STATEMENTS.outcomes),
          'agenda ms/call': msOf(STATEMENTS.agenda),
        };
      });
    },
  };
}
