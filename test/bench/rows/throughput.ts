import { contestantNamed, type ContestantName } from '../contestants/index.js';
import { secondIn, settle } from '../harness/execution.js';
import { untilExecuted, withNodes } from '../harness/nodes.js';
import type { NodeProgram } from '../harness/protocol.js';
import { measureInRounds } from '../harness/rounds.js';
import type { Bench, Figures, Row } from '../harness/row.js';
import { median } from '../harness/statistics.js';
import { assertReady, withTimeToStart } from '../harness/time-to-start.js';

const CONTESTANTS: readonly ContestantName[] = [
  'cron-store',
  'floor',
  'cron-store, defaults',
  'graphile-worker, local queue',
  'graphile-worker',
  'pg-boss, batches',
  'pg-boss',
];

/** Fires that one transaction of the floor claims: whichever does best on this machine. */
const FLOOR_BATCH_SIZES = [128, 256, 512, 1_024];

const FLOOR_TRIAL = { count: 5_000, rounds: 3 };

export const throughput: Row = {
  name: 'throughput',
  title:
    'Fires due at the same second, empty handlers, one warm node: from the first start of a handler to the last record',
  async measure(bench) {
    const count = bench.isQuick ? 3_000 : 20_000;
    const names = CONTESTANTS.filter(bench.isChosen);
    const floorBatchSize = bench.isQuick || !names.includes('floor') ? 512 : await bestFloorBatchSize(bench);
    return measureInRounds(
      names.map((name) => {
        const settings = name === 'floor' ? { batchSize: floorBatchSize } : {};
        return {
          label: name === 'floor' ? `floor, batches of ${floorBatchSize}` : name,
          measure: () => measureThroughput(bench, { name, count, settings }),
        };
      }),
      bench.rounds,
    );
  },
};

async function bestFloorBatchSize(bench: Bench): Promise<number> {
  const lines = await measureInRounds(
    FLOOR_BATCH_SIZES.map((batchSize) => ({
      label: `${batchSize}`,
      measure: () =>
        measureThroughput(bench, { name: 'floor', count: FLOOR_TRIAL.count, settings: { batchSize } }),
    })),
    FLOOR_TRIAL.rounds,
  );
  const rates = lines.map(({ rounds }) => median(rounds.map((figures) => figures[RATE] ?? 0)));
  return FLOOR_BATCH_SIZES[rates.indexOf(Math.max(...rates))] ?? 512;
}

interface Execution {
  readonly name: ContestantName;
  readonly count: number;
  readonly settings: NodeProgram['settings'];
}

const RATE = 'fires/s';

/** Long enough to store the fires and to bring the database to rest, before they are due. */
const SETTLE_MS = 4_000;

async function measureThroughput(
  { server, isQuick }: Bench,
  { name, count, settings }: Execution,
): Promise<Figures> {
  const contestant = await contestantNamed(name);
  const warmUp = isQuick ? 1_000 : 5_000;
  return withTimeToStart(SETTLE_MS, (settleMs) =>
    server.withDatabase(contestant, async (database) => {
      await contestant.store(database, { count: warmUp, firstAtUnixMs: secondIn(-2_000) });
      await settle(database);
      return withNodes({ contestant: name, url: database.url, settings }, 1, async ([node]) => {
        await untilExecuted(node, warmUp, { database, contestant });
        const firstAtUnixMs = secondIn(settleMs);
        await contestant.store(database, { count, firstAtUnixMs });
        await settle(database);
        assertReady(firstAtUnixMs);
        const { record, firesPerSecond } = await untilExecuted(node, count, { database, contestant });
        return {
          [RATE]: firesPerSecond,
          'node CPU µs/fire': ((record?.cpuMs ?? 0) * 1_000) / count,
        };
      });
    }),
  );
}
