import { AsyncLocalStorage } from 'node:async_hooks';
import {
  CronStoreEngine,
  every,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  StoreDisabledError,
} from '../../../lib/index.js';
import { ASLEEP, startAsleep } from '../../support/asleep.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from './support/jobs.js';
import { untilOver } from './support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-01-01T00:00:00Z');

describe('CronStoreEngine', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  const open: StoreApp[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
  });

  afterEach(async () => {
    const [node] = open;
    for (const { name } of (await node?.manager.list()) ?? []) {
      await node?.manager.delete(name);
    }
    await Promise.all(open.splice(0).map((each) => each.close()));
  });

  afterAll(async () => {
    await database.drop();
  });

  async function start(given: Omit<Parameters<typeof startStoreApp>[0], 'url' | 'clock'>): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, clock, ...given });
    open.push(node);
    return node;
  }

  it('makes one pass when it is asked to, and tells what it did', async () => {
    const work = new GatedJob('work');
    const node = await startAsleep(async () => start({ store: ASLEEP, providers: [work.provider] }));
    await node.manager.create({ name: 'fires', jobName: 'work', trigger: every('1m') });
    await node.manager.create({
      name: 'missed',
      jobName: 'work',
      trigger: every('1m'),
      misfirePolicy: 'skip',
      endsAt: START + MINUTE_MS,
    });
    await node.manager.create({ name: 'later', jobName: 'work', trigger: every('1h') });
    await clock.freezeAt(START + 30 * MINUTE_MS);
    // One catch-up, and what each of the two has missed.
    expect(await node.engine.runOnce()).toEqual({ started: 1, journaled: 2 });
    expect(node.engine.status()).toMatchObject({ state: 'running', running: 1, slots: 16 });
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    work.gate.open();
    await untilOver(node, 'fires', 2);
  });

  it('says what it is doing', async () => {
    const states: string[] = [];
    const node = await start({
      providers: [
        job('work', () => undefined),
        {
          provide: 'boot',
          inject: [CronStoreEngine],
          useFactory: (engine: CronStoreEngine) => ({
            onModuleInit: () => states.push(engine.status().state),
          }),
        },
      ],
    });
    states.push(node.engine.status().state);
    expect(node.engine.status()).toEqual({
      state: 'running',
      faults: [],
      lastPassAgeMs: expect.any(Number),
      nodeId: expect.stringMatching(/^.+-\d+-[0-9a-f]{12}$/),
      slots: 16,
      running: 0,
      detached: 0,
    });
    const drained = node.engine.drain();
    states.push(node.engine.status().state);
    await drained;
    await node.close();
    open.splice(0);
    states.push(node.engine.status().state);
    expect(states).toEqual(['starting', 'running', 'stopping', 'stopped']);
  });

  it('does nothing at all where the store is disabled', async () => {
    const node = await startStoreApp({
      url: database.url,
      store: { enabled: false },
      providers: [job('work', () => undefined)],
    });
    expect(node.engine.status()).toEqual({
      state: 'disabled',
      faults: [],
      slots: 16,
      running: 0,
      detached: 0,
    });
    await expect(node.engine.runOnce()).rejects.toThrow(StoreDisabledError);
    await node.engine.drain();
    await node.close();
  });

  it('keeps the context of whoever asks for a pass out of handlers and listeners', async () => {
    const context = new AsyncLocalStorage<string>();
    const seen: (string | undefined)[] = [];
    const work = job('work', async () => {
      seen.push(context.getStore());
      await Promise.resolve();
      seen.push(context.getStore());
    });
    const node = await startAsleep(async () => start({ store: ASLEEP, providers: [work] }));
    for (const name of [RUN_STARTED_EVENT, RUN_SUCCEEDED_EVENT]) {
      node.events.on(name, () => seen.push(context.getStore()));
    }
    await context.run('the request', async () => {
      await node.manager.create({ name: 'passed', jobName: 'work', trigger: every('1m') });
      await clock.moveBy(MINUTE_MS);
      expect(await node.engine.runOnce()).toEqual({ started: 1, journaled: 0 });
      expect(context.getStore()).toBe('the request');
      await untilOver(node, 'passed');
    });
    await untilTrue('all is told', () => seen.length === 4);
    expect(seen).toEqual(Array.from({ length: 4 }, () => undefined));
  });
});
