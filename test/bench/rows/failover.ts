import { setTimeout as delay } from 'node:timers/promises';
import { contestantNamed } from '../contestants/index.js';
import type { Database } from '../harness/database.js';
import { secondIn, settle } from '../harness/execution.js';
import { NodeProcess } from '../harness/node-process.js';
import { takeRecords } from '../harness/nodes.js';
import { measureInRounds } from '../harness/rounds.js';
import type { Bench, Figures, Row } from '../harness/row.js';
import { percentile } from '../harness/statistics.js';

const NAME = 'cron-store';
const SCHEDULES = 300;
const START_MS = 6_000;

/** Shorter than by default, so that a round does not take minutes. */
const ABANDONED_AFTER_MS = 5_000;

/** A third of the schedules runs at any time. */
const SETTINGS = { handlerMs: 300, heartbeatInterval: 1_000, abandonedAfter: ABANDONED_AFTER_MS };

const PROBE_PAUSE_MS = 20;

export const failover: Row = {
  name: 'failover',
  title: `kill -9 of one of three nodes that execute ${SCHEDULES} one-second schedules, abandoned after ${ABANDONED_AFTER_MS} ms`,
  async measure(bench) {
    const candidates = [{ label: NAME, measure: () => measureFailover(bench) }];
    return measureInRounds(candidates, Math.min(bench.rounds, 3));
  },
};

async function measureFailover({ server }: Bench): Promise<Figures> {
  const contestant = await contestantNamed(NAME);
  return server.withDatabase(contestant, async (database) => {
    const firstAtUnixMs = secondIn(START_MS);
    await contestant.store(database, {
      count: SCHEDULES,
      firstAtUnixMs,
      spreadMs: 1_000,
      every: 'second',
    });
    await settle(database);
    const program = { contestant: NAME, url: database.url, settings: SETTINGS };
    const [victim, ...survivors] = await Promise.all([1, 2, 3].map(() => NodeProcess.start(program)));
    // Nodes declare others dead only after they have watched for so long.
    await delay(firstAtUnixMs + 2 * ABANDONED_AFTER_MS - Date.now());
    await takeRecords(survivors);
    await victim?.kill();
    const killedAtUnixMs = Date.now();
    const abandonedAtUnixMs = await untilAbandoned(database, killedAtUnixMs);
    const latenessMs = (await takeRecords(survivors)).flatMap((record) => record.latenessMs);
    await Promise.all(survivors.map((node) => node.stop()));
    return {
      'fires of others, latest ms': Math.max(...latenessMs),
      'fires of others, p99 ms': percentile(latenessMs, 0.99),
      'abandoned after ms': abandonedAtUnixMs - killedAtUnixMs,
    };
  });
}

/** Waits until no run of before the kill is running any more; when the last was declared abandoned. */
async function untilAbandoned(database: Database, killedAtUnixMs: number): Promise<number> {
  await delay(PROBE_PAUSE_MS);
  while (
    await database.value<boolean>(
      `select exists (select from crn_run where status = 'running' and claimed_at_unix_ms <= $1) as value`,
      [killedAtUnixMs],
    )
  ) {
    await delay(PROBE_PAUSE_MS);
  }
  const abandoned = await database.value<string | null>(
    `select max(finished_at_unix_ms)::text as value from crn_run where status = 'abandoned'`,
  );
  if (abandoned === null) {
    throw new Error('No run was abandoned.');
  }
  return Number(abandoned);
}
