import { every, type ScheduleSpec } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { summary, untilOver } from '../engine/support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-03-01T00:00:00Z');

describe('the misfire policy backfill', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const executed: string[] = [];
  const gated = new GatedJob('gated');

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    await start();
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    executed.length = 0;
    await clock.freezeAt(START);
  });

  async function start(): Promise<void> {
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [
        job('work', ({ scheduleName, scheduledAt }) => {
          executed.push(`${scheduleName} ${scheduledAt.toISOString().slice(11, 19)}`);
        }),
        gated.provider,
      ],
    });
  }

  async function downUntil(unixMs: number): Promise<void> {
    await node.close();
    await clock.freezeAt(unixMs);
    await start();
  }

  async function create(spec: Partial<ScheduleSpec> & { readonly name: string }): Promise<void> {
    await node.manager.create({
      jobName: 'work',
      trigger: every(MINUTE_MS),
      misfirePolicy: 'backfill',
      ...spec,
    });
  }

  it('fires the limit of most recent occurrences, oldest first, and journals the older ones as one missed run', async () => {
    await create({ name: 'limited', backfillLimit: 3 });
    await downUntil(START + 10 * MINUTE_MS);

    const runs = await untilOver(node, 'limited', 4);
    expect(runs.map(summary)).toEqual([
      'missed 2030-03-01T00:01:00.000Z (7)',
      'succeeded 2030-03-01T00:08:00.000Z',
      'succeeded 2030-03-01T00:09:00.000Z',
      'succeeded 2030-03-01T00:10:00.000Z',
    ]);
    expect(runs.map((run) => run.reason)).toEqual(['backfill_limit', undefined, undefined, undefined]);
    expect(runs.every((run) => run.origin === 'schedule')).toBe(true);
    expect(executed).toEqual(['limited 00:08:00', 'limited 00:09:00', 'limited 00:10:00']);
  });

  it('fires every one without a limit, and others are on time meanwhile', async () => {
    await create({ name: 'long' });
    await create({ name: 'regular', misfirePolicy: 'fire_now', startsAt: START + 100 * MINUTE_MS });
    await downUntil(START + 100 * MINUTE_MS);

    await untilOver(node, 'regular');
    const runs = await untilOver(node, 'long', 100);
    expect(runs.map((run) => run.scheduledAtUnixMs)).toEqual(
      Array.from({ length: 100 }, (_, index) => START + (index + 1) * MINUTE_MS),
    );
    // The regular fire did not wait for the backlog, which is older throughout.
    expect(executed.indexOf('regular 01:40:00')).toBeLessThan(10);
  });

  it('fires one after the other under forbid, skips none, and is cut once per outage', async () => {
    await create({ name: 'slow', jobName: 'gated', backfillLimit: 3 });
    await downUntil(START + 10 * MINUTE_MS);
    await untilTrue('the first of the backlog runs', () => gated.of('slow').length === 1);

    // More become due while the backlog waits: it is not cut again.
    await clock.freezeAt(START + 15 * MINUTE_MS);
    for (let pass = 0; pass < 5; pass += 1) {
      expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    }
    gated.gate.open();
    const runs = await untilOver(node, 'slow', 8);
    expect(runs.map(summary)).toEqual([
      'missed 2030-03-01T00:01:00.000Z (7)',
      'succeeded 2030-03-01T00:08:00.000Z',
      'succeeded 2030-03-01T00:09:00.000Z',
      'succeeded 2030-03-01T00:10:00.000Z',
      // What became due while the backlog waited is an outage of its own.
      'missed 2030-03-01T00:11:00.000Z (2)',
      'succeeded 2030-03-01T00:13:00.000Z',
      'succeeded 2030-03-01T00:14:00.000Z',
      'succeeded 2030-03-01T00:15:00.000Z',
    ]);
  });
});
