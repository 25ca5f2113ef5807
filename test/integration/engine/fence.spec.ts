import { Logger } from '@nestjs/common';
import { every, once } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { runsOf, summary, untilOver } from './support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-01-01T00:00:00Z');

describe('a cursor that was moved back, by hand or by the restore of a backup', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const executed: string[] = [];

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [
        job('work', ({ scheduleName, scheduledAt }) => {
          executed.push(`${scheduleName} ${scheduledAt.toISOString()}`);
        }),
      ],
    });
  });

  beforeEach(async () => {
    executed.length = 0;
    await clock.freezeAt(START);
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function moveCursor(name: string, to: number): Promise<void> {
    await database.query('update crn_schedule set next_fire_at_unix_ms = $2 where name = $1', [name, to]);
  }

  async function cursor(name: string): Promise<number | undefined> {
    return (await node.manager.get(name)).schedule.nextFireAtUnixMs;
  }

  it('drops the fire that the journal has already, goes on with the schedule, and harms no other', async () => {
    await node.manager.create({ name: 'restored', jobName: 'work', trigger: every('1m') });
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'restored');
    await node.manager.create({ name: 'beside', jobName: 'work', trigger: once(START + MINUTE_MS + 1_000) });
    await node.manager.pause('beside');
    await clock.moveBy(1_000);

    await moveCursor('restored', START + MINUTE_MS);
    await node.manager.resume('beside');
    await untilTrue('the cursor moved on', async () => (await cursor('restored')) === START + 2 * MINUTE_MS);
    await untilOver(node, 'beside');
    expect(executed.toSorted()).toEqual([
      'beside 2030-01-01T00:01:01.000Z',
      'restored 2030-01-01T00:01:00.000Z',
    ]);

    await clock.freezeAt(START + 2 * MINUTE_MS);
    expect((await untilOver(node, 'restored', 2)).map(summary)).toEqual([
      'succeeded 2030-01-01T00:01:00.000Z',
      'succeeded 2030-01-01T00:02:00.000Z',
    ]);
  });

  it.each(['fire_now', 'skip'] as const)(
    'fires nothing twice that is long past, and misses nothing (%s)',
    async (misfirePolicy) => {
      const name = `yesterday, ${misfirePolicy}`;
      await node.manager.create({ name, jobName: 'work', trigger: every('1m'), misfirePolicy });
      for (const minute of [1, 2, 3]) {
        await clock.freezeAt(START + minute * MINUTE_MS);
        await untilOver(node, name, minute);
      }
      await moveCursor(name, START - 1_000 * MINUTE_MS);
      await untilTrue('the cursor moved on', async () => (await cursor(name)) === START + 4 * MINUTE_MS);
      expect(await runsOf(node, name)).toHaveLength(3);

      // What came due beside it is the policy's.
      await moveCursor(name, START - 1_000 * MINUTE_MS);
      await clock.freezeAt(START + 10 * MINUTE_MS);
      await untilTrue('the cursor moved on', async () => (await cursor(name)) === START + 11 * MINUTE_MS);
      const caughtUp =
        misfirePolicy === 'skip'
          ? ['missed 2030-01-01T00:04:00.000Z (7)']
          : ['missed 2030-01-01T00:04:00.000Z (6)', 'succeeded 2030-01-01T00:10:00.000Z'];
      const runs = await untilOver(node, name, 3 + caughtUp.length);
      expect(runs.slice(3).map(summary).toSorted()).toEqual(caughtUp);
    },
  );

  it('counts nothing as missed twice where it stands in a gap that is journaled already', async () => {
    await node.manager.create({
      name: 'gap',
      jobName: 'work',
      trigger: every('1m'),
      misfirePolicy: 'skip',
    });
    await node.manager.pause('gap');
    await clock.moveBy(10 * MINUTE_MS + 1_000);
    await node.manager.resume('gap');
    await untilOver(node, 'gap');
    await moveCursor('gap', START + 5 * MINUTE_MS);
    await untilTrue('the cursor moved on', async () => (await cursor('gap')) === START + 11 * MINUTE_MS);
    expect((await runsOf(node, 'gap')).map(summary)).toEqual(['missed 2030-01-01T00:01:00.000Z (10)']);
  });

  it('does not fire a single instant again', async () => {
    await node.manager.create({ name: 'single', jobName: 'work', trigger: once(START + MINUTE_MS) });
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'single');
    await moveCursor('single', START + MINUTE_MS);
    await untilTrue('the cursor is gone again', async () => (await cursor('single')) === undefined);
    expect(await runsOf(node, 'single')).toHaveLength(1);
    expect(executed).toHaveLength(1);
  });

  it('fires a schedule that was deleted and created again under its name (scenario 13)', async () => {
    await node.manager.create({ name: 'reborn', jobName: 'work', trigger: every('1m') });
    await clock.moveBy(MINUTE_MS);
    await untilOver(node, 'reborn');
    await node.manager.delete('reborn');
    await node.manager.create({ name: 'reborn', jobName: 'work', trigger: every('1m') });
    expect(await cursor('reborn')).toBe(START + 2 * MINUTE_MS);
    await clock.moveBy(MINUTE_MS);
    expect((await untilOver(node, 'reborn', 2)).map(summary)).toEqual([
      'succeeded 2030-01-01T00:01:00.000Z',
      'succeeded 2030-01-01T00:02:00.000Z',
    ]);
  });
});
