import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Contestant } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle, untilRecorded } from '../harness/execution.js';
import { NodeProcess } from '../harness/node-process.js';
import type { Bench, Figures, Line, Row } from '../harness/row.js';
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
const START_MS = 4_000;

const SHOWN_STATEMENTS = 12;

const SHOWN_TEXT_LENGTH = 90;

export const profile: Row = {
  name: 'profile',
  title: 'Profile: what one of many fires costs that are due at once on one node, whose start is not counted',
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
  return server.withDatabase(contestant, async (database) => {
    const firstAtUnixMs = secondIn(START_MS);
    await contestant.store(database, { count, firstAtUnixMs });
    await settle(database);
    return { label: name, ...(await profileExecution(database, { name, contestant, count })) };
  });
}

async function profileExecution(
  database: Database,
  { name, contestant, count }: { name: ContestantName; contestant: Contestant; count: number },
): Promise<Omit<Line, 'label'>> {
  const node = await NodeProcess.start({ contestant: name, url: database.url, settings: {} });
  const before = await serverUsage(database);
  const { roundTrips: roundTripsBefore } = await node.ask('usage', false);
  await resetStatements(database);
  await node.ask('untilStarted', count);
  await untilRecorded(database, contestant);
  const { cpuMs } = await node.ask('takeRecord');
  const after = await serverUsage(database);
  const { roundTrips } = await node.ask('usage', false);
  const statements = await statementUsages(database);
  await node.stop();
  const calls = statements.reduce((sum, statement) => sum + statement.calls, 0);
  return {
    rounds: [
      {
        'round trips/fire': (roundTrips - roundTripsBefore) / count,
        'statements/fire': calls / count,
        'WAL bytes/fire': (after.walBytes - before.walBytes) / count,
        'node CPU µs/fire': (cpuMs * 1_000) / count,
        'server CPU µs/fire': (cpuMsBetween(before, after) * 1_000) / count,
      },
    ],
    detail: Object.fromEntries(
      statements
        .slice(0, SHOWN_STATEMENTS)
        .map(({ text, figures }) => [text.slice(0, SHOWN_TEXT_LENGTH), roundedFigures(figures)]),
    ),
  };
}

function roundedFigures(figures: Figures): Figures {
  return Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, rounded(value)]));
}
