import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Contestant } from '../harness/contestant.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle, untilRecorded } from '../harness/execution.js';
import { NodeProcess } from '../harness/node-process.js';
import { type Candidate, measureInRounds } from '../harness/rounds.js';
import type { Bench, Figures, Row } from '../harness/row.js';

const CONTESTANTS: readonly ContestantName[] = [
  'cron-store',
  'floor',
  'cron-store, defaults',
  'graphile-worker, local queue',
  'graphile-worker',
  'pg-boss, batches',
  'pg-boss',
];

export const throughput: Row = {
  name: 'throughput',
  title:
    'Throughput: fires that are due already, empty handlers, one node, from the first start to the last record',
  async measure(bench) {
    const count = bench.isQuick ? 3_000 : 20_000;
    return measureInRounds(
      CONTESTANTS.filter(bench.isChosen).map((name) => candidate(bench, name, count)),
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
        await contestant.store(database, { count, firstAtUnixMs: secondIn(-2_000) });
        await settle(database);
        return measureExecution(database, { name, contestant, count });
      });
    },
  };
}

async function measureExecution(
  database: Database,
  { name, contestant, count }: { name: ContestantName; contestant: Contestant; count: number },
): Promise<Figures> {
  const node = await NodeProcess.start({ contestant: name, url: database.url, settings: {} });
  await node.ask('untilStarted', count);
  await untilRecorded(database, contestant);
  const nowUnixMs = Date.now();
  const { firstAtUnixMs, cpuMs } = await node.ask('takeRecord');
  await node.stop();
  return {
    'fires/s': (count * 1_000) / (nowUnixMs - firstAtUnixMs),
    'node CPU µs/fire': (cpuMs * 1_000) / count,
  };
}
