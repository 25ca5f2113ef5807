// `npm run soak -- --minutes 3 --nodes 3 --seed 1`: random schedules, changes and faults, and what must hold all the same.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { CronStoreOptions } from '../../lib/index.js';
import { collectEvidence, type Evidence } from './checks/evidence.js';
import { CHECKS } from './checks/index.js';
import { onlyTheSilentAreAbandoned } from './checks/lifecycle.check.js';
import { HARMLESS_JOBS } from './node/protocol.js';
import { type DatabaseServer, startDatabaseServer } from './support/database-server.js';
import { Faults } from './support/faults.js';
import { MemoryWatch } from './support/memory.js';
import { Operators } from './support/operators.js';
import { soakOptions, type SoakOptions } from './support/options.js';
import { Random } from './support/random.js';
import { anyJob } from './support/random-schedule.js';
import { untilSettled } from './support/settlement.js';
import { SoakDatabase } from './support/soak-database.js';
import { SoakNode } from './support/soak-node.js';
import { summarize } from './support/summary.js';

const ABANDONED_AFTER_MS = 4_000;
const MAX_RECOVERIES = 2;
const SCHEDULE_COUNT = 30;
const SHOWN_FAILURES = 50;
/** Memory says something only after a while. */
const LEAST_MINUTES_FOR_TRENDS = 3;

const STORE_OPTIONS: CronStoreOptions = {
  autoMigrate: true,
  pollInterval: 1_000,
  heartbeatInterval: 500,
  abandonedAfter: ABANDONED_AFTER_MS,
  misfireThreshold: 3_000,
  maxRecoveries: MAX_RECOVERIES,
  runTimeout: '10s',
  abortGrace: 500,
  shutdownTimeout: 2_000,
};

/** What was started, to be ended whatever happens. */
interface Started {
  server?: DatabaseServer;
  database?: SoakDatabase;
  readonly nodes: SoakNode[];
}

const options = soakOptions(process.argv.slice(2));
console.log(`soak: ${options.minutes} minutes, ${options.nodes} nodes, --seed ${options.seed}`);
const started: Started = { nodes: [] };
const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-soak-'));
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void end().finally(() => process.exit(1)));
}
try {
  const failures = await soak(options);
  if (failures.length === 0) {
    await rm(folder, { recursive: true, force: true });
    console.log('Nothing was lost, and nothing was doubled.');
  } else {
    console.log(`${failures.length} failures; the records are in ${folder}. The first of them:`);
    console.log(failures.slice(0, SHOWN_FAILURES).join('\n'));
    process.exitCode = 1;
  }
} finally {
  await end();
}

/** @returns a sentence for each thing that went wrong. */
async function soak({ minutes, nodes: nodeCount, seed }: SoakOptions): Promise<string[]> {
  const server = (started.server = await startDatabaseServer());
  const database = (started.database = await SoakDatabase.create());
  const nodes = await startNodes(database, nodeCount);
  const memory = new MemoryWatch(
    nodes.filter(({ options }) => options.isSteady),
    database,
  );
  const names = Array.from({ length: SCHEDULE_COUNT }, (_, index) => `schedule ${index + 1}`) as [
    string,
    ...string[],
  ];
  const operators = new Operators(Random.derived(seed, 'operators'), names, nodes, database, anyJob);
  const faults = new Faults(Random.derived(seed, 'faults'), nodes, database, server, ABANDONED_AFTER_MS);

  await operators.createAll();
  const over = AbortSignal.timeout(minutes * 60_000);
  await Promise.all([faults.rage(over), operators.work(over), memory.watch(over)]);
  console.log('The faults are over; what is under way settles.');

  await Promise.all(nodes.map((node) => node.settle()));
  await operators.resumeAll();
  const failures: string[] = [];
  let settledAtUnixMs = 0;
  try {
    settledAtUnixMs = await untilSettled(database, nodes);
  } catch (error) {
    failures.push(String(error));
  }
  await Promise.all(nodes.map((node) => node.stop()));

  const evidence = await collectEvidence(database, folder, {
    operations: operators.operations,
    acknowledgedHolds: operators.holds,
    settledAtUnixMs,
    maxRecoveries: MAX_RECOVERIES,
  });
  const trends = minutes >= LEAST_MINUTES_FOR_TRENDS ? memory.trends() : [];
  console.log(summarize({ evidence, faults: faults.counts, nodes, trends }));
  failures.push(
    ...[...CHECKS, onlyTheSilentAreAbandoned(ABANDONED_AFTER_MS)].flatMap((check) => check(evidence)),
    ...nodes.flatMap(({ misdeeds }) => misdeeds),
    ...trends
      .filter(({ isFlat }) => !isFlat)
      .map(({ node, measure }) => `${node} uses more and more: ${measure}.`),
  );
  if (failures.length > 0) {
    await keep(evidence);
  }
  return failures;
}

/** The first node lives from the start to the end; the others may be killed, also by their handlers. */
async function startNodes(database: SoakDatabase, count: number): Promise<readonly SoakNode[]> {
  for (let index = 0; index < count; index += 1) {
    const isSteady = index === 0;
    started.nodes.push(
      await SoakNode.start({
        name: `node ${index + 1}`,
        databaseUrl: database.url,
        folder,
        store: STORE_OPTIONS,
        jobs: isSteady ? HARMLESS_JOBS : [...HARMLESS_JOBS, 'killing'],
        isSteady,
      }),
    );
    if (isSteady) {
      await database.installWitness();
    }
  }
  return started.nodes;
}

/** Everything that the failures can be understood by. */
async function keep({ histories, operations, audit, deeds }: Evidence): Promise<void> {
  const lines = [...histories.flatMap(({ changes }) => changes), ...operations, ...audit, ...deeds].map(
    (record) => JSON.stringify(record),
  );
  await writeFile(join(folder, 'evidence.jsonl'), lines.join('\n'));
}

async function end(): Promise<void> {
  await Promise.allSettled(started.nodes.map((node) => node.close()));
  await started.database?.drop().catch(() => undefined);
  await started.server?.stop();
  // What listens or waits still is of no use to anybody.
  await delay(0);
}
