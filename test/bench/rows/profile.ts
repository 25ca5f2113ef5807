import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { NamedContestant } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle } from '../harness/execution.js';
import { untilExecuted, withNodes } from '../harness/nodes.js';
import type { Bench, Figures, Line, Row } from '../harness/row.js';
import { assertReady, withTimeToStart } from '../harness/time-to-start.js';
import { cpuMsBetween, resetStatements, serverUsage, statementUsages } from '../harness/server-usage.js';
import { rounded } from '../harness/statistics.js';

/** The most telling first. */
const CONTESTANTS: readonly ContestantName[] = [
  'cron-store',
  'floor',
  'graphile-worker, local queue',
  'graphile-worker',
  'pg-boss, batches',
  'pg-boss',
];

/** How many of them a first look has. */
const QUICK_CONTESTANTS = 2;

/** Long enough for a node to start and come to rest before the first fire is due. */
const START_MS = 5_000;

const SHOWN_STATEMENTS = 12;

const SHOWN_TEXT_LENGTH = 90;

export const profile: Row = {
  name: 'profile',
  title: 'What one fire costs of many that are due at once on one node, whose start is not counted',
  async measure(bench) {
    const lines: Line[] = [];
    const names = CONTESTANTS.slice(0, bench.isQuick ? QUICK_CONTESTANTS : undefined);
    for (const name of names.filter(bench.isChosen)) {
      lines.push(await profileOf(bench, name));
    }
    return lines;
  },
};

async function profileOf({ server, isQuick }: Bench, name: ContestantName): Promise<Line> {
  const count = isQuick ? 5_000 : 20_000;
  const contestant = await contestantNamed(name);
  return withTimeToStart(START_MS, (startMs) =>
    server.withDatabase(contestant, async (database) => {
      const firstAtUnixMs = secondIn(startMs);
      await contestant.store(database, { count, firstAtUnixMs });
      await settle(database);
      const execution = { name, contestant, count, firstAtUnixMs };
      return { label: name, ...(await profileExecution(database, execution)) };
    }),
  );
}

interface Execution {
  readonly name: ContestantName;
  readonly contestant: NamedContestant;
  readonly count: number;
  readonly firstAtUnixMs: number;
}

async function profileExecution(
  database: Database,
  { name, contestant, count, firstAtUnixMs }: Execution,
): Promise<Omit<Line, 'label'>> {
  return withNodes({ contestant: name, url: database.url, settings: {} }, 1, async ([node]) => {
    const before = await serverUsage(database);
    const usageBefore = await node?.ask('usage', false);
    await resetStatements(database);
    assertReady(firstAtUnixMs);
    const { record } = await untilExecuted(node, count, { database, contestant });
    const after = await serverUsage(database);
    const usage = await node?.ask('usage', false);
    const statements = await statementUsages(database);
    const each = (total: number): number => total / count;
    return {
      rounds: [
        {
          'round trips/fire': each((usage?.roundTrips ?? 0) - (usageBefore?.roundTrips ?? 0)),
          'statements/fire': each(statements.reduce((sum, { calls }) => sum + calls, 0)),
          'WAL bytes/fire': each(after.walBytes - before.walBytes),
          'node CPU µs/fire': each((record?.cpuMs ?? 0) * 1_000),
          'server CPU µs/fire': each(cpuMsBetween(before, after) * 1_000),
        },
      ],
      detail: Object.fromEntries(
        statements
          .slice(0, SHOWN_STATEMENTS)
          .map(({ text, figures }) => [text.slice(0, SHOWN_TEXT_LENGTH), roundedFigures(figures)]),
      ),
    };
  });
}

function roundedFigures(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
}
