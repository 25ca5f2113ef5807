import { contestantNamed, type ContestantName } from '../contestants/index.js';
import { secondIn, settle } from '../harness/execution.js';
import { takeRecords, untilStarted, withNodes } from '../harness/nodes.js';
import { type Candidate, measureInRounds } from '../harness/rounds.js';
import { assertReady, withTimeToStart } from '../harness/time-to-start.js';
import type { Bench, Row } from '../harness/row.js';
import { percentile } from '../harness/statistics.js';

const COUNT = 10_000;

/** Long enough to store them and to start the nodes. */
const START_MS = 8_000;

/** How many of the candidates a first look has. */
const QUICK_CANDIDATES = 4;

/** The most telling first. */
const CANDIDATES: readonly (readonly [name: ContestantName, nodes: number])[] = [
  ['cron-store', 1],
  ['cron-store', 3],
  ['graphile-worker, local queue', 1],
  ['pg-boss, batches', 1],
  ['cron-store, defaults', 1],
  ['graphile-worker', 1],
  ['pg-boss', 1],
];

export const storm: Row = {
  name: 'storm',
  title: `${COUNT} fires due at the same second: from that second to the start of each handler`,
  async measure(bench) {
    return measureInRounds(
      CANDIDATES.slice(0, bench.isQuick ? QUICK_CANDIDATES : undefined)
        .filter(([name]) => bench.isChosen(name))
        .map(([name, nodes]) => candidate(bench, name, nodes)),
      bench.rounds,
    );
  },
};

function candidate({ server }: Bench, name: ContestantName, nodeCount: number): Candidate {
  return {
    label: `${name}, ${nodeCount} node${nodeCount === 1 ? '' : 's'}`,
    measure: () =>
      withTimeToStart(START_MS, async (startMs) => {
        const contestant = await contestantNamed(name);
        return server.withDatabase(contestant, async (database) => {
          const firstAtUnixMs = secondIn(startMs);
          await contestant.store(database, { count: COUNT, firstAtUnixMs });
          await settle(database);
          return withNodes(
            { contestant: name, url: database.url, settings: {} },
            nodeCount,
            async (nodes) => {
              assertReady(firstAtUnixMs);
              await untilStarted(nodes, COUNT);
              const latenessMs = (await takeRecords(nodes)).flatMap((record) => record.latenessMs);
              return {
                'last start ms': Math.max(...latenessMs),
                'p50 ms': percentile(latenessMs, 0.5),
                'p99 ms': percentile(latenessMs, 0.99),
              };
            },
          );
        });
      }),
  };
}
