import { Logger } from '@nestjs/common';
import { every } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob } from './support/jobs.js';
import { runsOf, untilOver } from './support/runs.js';

const HOUR_MS = 3_600_000;
const ABANDONED_AFTER_MS = 4_000;

describe('a node that has heard nobody for a while', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const work = new GatedJob('work');

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    node = await startStoreApp({
      url: database.url,
      clock,
      // Sweeps come twice as often as heartbeats, and claims far more often.
      store: { heartbeatInterval: ABANDONED_AFTER_MS / 2, abandonedAfter: ABANDONED_AFTER_MS },
      providers: [work.provider],
    });
  });

  afterAll(async () => {
    work.gate.open();
    await node.close();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function lastBeat(): Promise<number> {
    const [row] = await database.query<{ beat: number }>(
      'select heartbeat_at_unix_ms::float as beat from crn_node',
    );
    return row?.beat ?? 0;
  }

  async function untilNextBeat(): Promise<void> {
    const before = await lastBeat();
    await untilTrue('it beats', async () => (await lastBeat()) > before);
  }

  it('spares a live run, in claims and in sweeps', async () => {
    const createdAtUnixMs = await clock.now();
    await node.manager.create({ name: 'alive', jobName: 'work', trigger: every('1h') });
    await node.manager.triggerNow('alive');
    await untilTrue('it runs', () => work.executions.length === 1);
    await untilTrue(
      'the vigil is complete',
      async () => (await lastBeat()) > createdAtUnixMs + ABANDONED_AFTER_MS,
      { timeoutMs: 60_000 },
    );
    await untilNextBeat();
    // As after an outage: the run is due for the next fire, and its last heartbeat is long ago.
    await clock.moveBy(24 * HOUR_MS);
    await untilOver(node, 'alive', 2);
    await untilNextBeat();
    work.gate.open();
    await untilTrue('it has succeeded', async () => (await runsOf(node, 'alive', 'succeeded')).length === 1);
    expect(
      (await runsOf(node, 'alive')).map(({ origin, status }) => `${origin} ${status}`).toSorted(),
    ).toEqual(['manual succeeded', 'schedule missed', 'schedule skipped']);
  });
});
