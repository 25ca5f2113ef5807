import { setTimeout as delay } from 'node:timers/promises';
import { contestantNamed, type ContestantName } from '../contestants/index.js';
import type { RequestKind } from '../harness/contestant.js';
import { settle } from '../harness/execution.js';
import { NodeProcess } from '../harness/node-process.js';
import { type Candidate, measureInRounds } from '../harness/rounds.js';
import type { Bench, Row } from '../harness/row.js';
import { percentile } from '../harness/statistics.js';

interface Contest {
  readonly label: string;
  readonly name: ContestantName;
  readonly kind: RequestKind;
  /** Of the node that asks. */
  readonly asking: Readonly<Record<string, unknown>>;
  /** Of the node that executes. */
  readonly executing: Readonly<Record<string, unknown>>;
  readonly samples: number;
}

const MANAGES_ONLY = { execute: false };

/** The most telling first. */
const CONTESTS: readonly Contest[] = [
  {
    label: 'cron-store, triggered',
    name: 'cron-store',
    kind: 'trigger',
    asking: MANAGES_ONLY,
    executing: {},
    samples: 200,
  },
  {
    label: 'cron-store, created',
    name: 'cron-store',
    kind: 'create',
    asking: MANAGES_ONLY,
    executing: {},
    samples: 200,
  },
  {
    label: 'cron-store, triggered, listen: false, pollInterval: 200',
    name: 'cron-store',
    kind: 'trigger',
    asking: { ...MANAGES_ONLY, listen: false },
    executing: { listen: false, pollInterval: 200 },
    samples: 50,
  },
  {
    label: 'graphile-worker, job added',
    name: 'graphile-worker',
    kind: 'create',
    asking: MANAGES_ONLY,
    executing: {},
    samples: 200,
  },
  {
    label: 'cron-store, triggered, listen: false',
    name: 'cron-store',
    kind: 'trigger',
    asking: { ...MANAGES_ONLY, listen: false },
    executing: { listen: false },
    samples: 10,
  },
  {
    label: 'pg-boss, job sent',
    name: 'pg-boss',
    kind: 'create',
    asking: MANAGES_ONLY,
    executing: {},
    samples: 50,
  },
];

/** How many of them a first look has. */
const QUICK_CONTESTS = 4;

export const visibility: Row = {
  name: 'visibility',
  title: 'Asked for on one node: from the call to the start of the handler on another',
  async measure(bench) {
    return measureInRounds(
      CONTESTS.slice(0, bench.isQuick ? QUICK_CONTESTS : undefined)
        .filter(({ name }) => bench.isChosen(name))
        .map((contest) => candidate(bench, contest)),
      Math.min(bench.rounds, 3),
    );
  },
};

function candidate({ server, isQuick }: Bench, contest: Contest): Candidate {
  const { label, name, kind, asking, executing } = contest;
  const samples = isQuick ? Math.ceil(contest.samples / 10) : contest.samples;
  return {
    label,
    async measure() {
      const contestant = await contestantNamed(name);
      return server.withDatabase(contestant, async (database) => {
        await settle(database);
        const program = { contestant: name, url: database.url };
        const executor = await NodeProcess.start({ ...program, settings: executing });
        const asker = await NodeProcess.start({ ...program, settings: asking });
        const latenessMs: number[] = [];
        for (let sample = 0; sample < samples; sample += 1) {
          // At no particular moment of whatever rhythm the executor has.
          await delay(20 + Math.random() * 80);
          const askedAtUnixMs = await asker.ask('request', kind);
          await executor.ask('untilStarted', 1);
          latenessMs.push((await executor.ask('takeRecord')).firstAtUnixMs - askedAtUnixMs);
        }
        await Promise.all([executor.stop(), asker.stop()]);
        return { 'p50 ms': percentile(latenessMs, 0.5), 'p99 ms': percentile(latenessMs, 0.99) };
      });
    },
  };
}
