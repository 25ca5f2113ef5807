import { setTimeout as delay } from 'node:timers/promises';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Database } from '../harness/database.js';
import { NodeProcess } from '../harness/node-process.js';
import type { Candidate } from '../harness/rounds.js';
import { measureInRounds } from '../harness/rounds.js';
import type { Bench, Figures, Row } from '../harness/row.js';

const CONTESTANTS: readonly ContestantName[] = [
  'cron-store',
  'floor',
  'cron-store, defaults',
  'graphile-worker, local queue',
  'graphile-worker',
  'pg-boss, notified',
  'pg-boss',
];

const PROBE_PAUSE_MS = 5;

export const throughput: Row = {
  name: 'throughput',
  title:
    'Throughput: fires that are due already, empty handlers, one node, from the first start to the last record',
  async measure(bench) {
    const count = Number(process.env['BENCH_FIRES'] ?? (bench.isQuick ? 5_000 : 20_000));
    return measureInRounds(
      CONTESTANTS.map((name) => candidate(bench, name, count)),
      bench.rounds,
    );
  },
};

function candidate({ server }: Bench, name: ContestantName, count: number): Candidate {
  return {
    label: name,
    async measure() {
      const contestant = await contestantNamed(name);
      return server.withDatabase(contestant, async (database) => {
        await contestant.store(database, { count, firstAtUnixMs: startOfSecond() });
        return measureExecution(database, name, count, contestant.hasUnfinishedSql);
      });
    },
  };
}

/** Executes what is due in a database, and measures from the first start of a handler to the last record. */
async function measureExecution(
  database: Database,
  name: ContestantName,
  count: number,
  hasUnfinishedSql: string,
): Promise<Figures> {
  await database.query('vacuum analyze');
  await database.query('checkpoint');
  const node = await NodeProcess.start({ contestant: name, url: database.url, settings: {} });
  await node.ask('untilStarted', count);
  const { firstAtUnixMs } = await node.ask('takeRecord');
  while (await isTrue(database, hasUnfinishedSql)) {
    await delay(PROBE_PAUSE_MS);
  }
  const elapsedMs = Date.now() - firstAtUnixMs;
  const { cpuMs } = await node.ask('usage', false);
  await node.stop();
  return { 'fires/s': (count * 1_000) / elapsedMs, 'node CPU µs/fire': (cpuMs * 1_000) / count };
}

async function isTrue(database: Database, sql: string): Promise<boolean> {
  return database.value(`select (${sql}) as value`);
}

function startOfSecond(): number {
  return Math.floor(Date.now() / 1_000) * 1_000;
}
