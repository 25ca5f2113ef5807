import { setTimeout as delay } from 'node:timers/promises';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { Fires } from '../harness/contestant.js';
import { secondIn, settle } from '../harness/execution.js';
import { takeRecords, withNodes } from '../harness/nodes.js';
import { type Candidate, measureInRounds } from '../harness/rounds.js';
import { assertReady, withTimeToStart } from '../harness/time-to-start.js';
import type { Bench, Row } from '../harness/row.js';
import { percentile } from '../harness/statistics.js';

/** Fires in a second, evenly spread over it. */
const RATE = 1_000;

const START_MS = 6_000;

interface Contest {
  readonly name: ContestantName;
  readonly nodes: number;
  /** Where a contestant has no schedules of a second, each fire is a job of its own. */
  readonly firesOf: (firstAtUnixMs: number, seconds: number) => Fires;
}

const schedules = (firstAtUnixMs: number): Fires => ({
  count: RATE,
  firstAtUnixMs,
  spreadMs: 1_000,
  every: 'second',
});

const jobs = (firstAtUnixMs: number, seconds: number): Fires => ({
  count: RATE * seconds,
  firstAtUnixMs,
  spreadMs: seconds * 1_000,
});

/** The most telling first. */
const CONTESTS: readonly Contest[] = [
  { name: 'cron-store', nodes: 1, firesOf: schedules },
  { name: 'cron-store', nodes: 3, firesOf: schedules },
  { name: 'pg-boss, batches', nodes: 1, firesOf: jobs },
  { name: 'graphile-worker, local queue', nodes: 1, firesOf: jobs },
  { name: 'cron-store, defaults', nodes: 1, firesOf: schedules },
];

/** How many of them a first look has. */
const QUICK_CONTESTS = 3;

export const precision: Row = {
  name: 'precision',
  title: `${RATE} one-second schedules with phases spread over the second: lateness of the starts of their handlers`,
  async measure(bench) {
    return measureInRounds(
      CONTESTS.slice(0, bench.isQuick ? QUICK_CONTESTS : undefined)
        .filter(({ name }) => bench.isChosen(name))
        .map((contest) => candidate(bench, contest)),
      Math.min(bench.rounds, 3),
    );
  },
};

function candidate({ server, isQuick }: Bench, { name, nodes: nodeCount, firesOf }: Contest): Candidate {
  const seconds = isQuick ? 5 : 30;
  return {
    label: `${name}, ${nodeCount} node${nodeCount === 1 ? '' : 's'}`,
    measure: () =>
      withTimeToStart(START_MS, async (startMs) => {
        const contestant = await contestantNamed(name);
        return server.withDatabase(contestant, async (database) => {
          const firstAtUnixMs = secondIn(startMs);
          await contestant.store(database, firesOf(firstAtUnixMs, seconds));
          await settle(database);
          return withNodes(
            { contestant: name, url: database.url, settings: {} },
            nodeCount,
            async (nodes) => {
              assertReady(firstAtUnixMs);
              await delay(firstAtUnixMs + seconds * 1_000 - Date.now());
              const records = await takeRecords(nodes);
              const latenessMs = records.flatMap((record) => record.latenessMs);
              const cpuMs = records.reduce((sum, record) => sum + record.cpuMs, 0);
              return {
                'p50 ms': percentile(latenessMs, 0.5),
                'p99 ms': percentile(latenessMs, 0.99),
                'latest ms': Math.max(...latenessMs),
                'fires/s': latenessMs.length / seconds,
                'node CPU ms/s': cpuMs / seconds,
              };
            },
          );
        });
      }),
  };
}
