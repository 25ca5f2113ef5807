import { type Execution, RunAbortedError, type ScheduleSpec } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { Gate, job } from './support/jobs.js';
import { fire, NEVER, runsOf, untilFireIsOver } from './support/runs.js';

const TIMED_OUT = 'The run timed out after 100 ms.';
const OVER_A_MONTH_MS = 2 ** 31 + 1_000;

/** Resolves when a signal aborts. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

describe('timeouts', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const stubborn = new Gate();
  const executions: Execution[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      store: { abortGrace: 200, maxConcurrent: 3, runTimeout: '1h' },
      providers: [
        job('obeys', async ({ signal }) => {
          await aborted(signal);
          throw signal.reason;
        }),
        job('returns late', ({ signal }) => aborted(signal)),
        job('throws something else late', async ({ signal }) => {
          await aborted(signal);
          throw new Error('something else');
        }),
        job('never settles', async (execution) => {
          executions.push(execution);
          await stubborn.pass();
        }),
        job('blocks', () => {
          const end = performance.now() + 300;
          while (performance.now() < end) {
            // Neither timers nor heartbeats get a turn.
          }
        }),
        job('quick', (execution) => {
          executions.push(execution);
        }),
      ],
    });
  });

  afterEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
  });

  afterAll(async () => {
    stubborn.open();
    await node.close();
    await database.drop();
  });

  async function create(jobName: string, spec: Partial<ScheduleSpec> = {}): Promise<string> {
    const { name } = await node.manager.create({
      name: `schedule of ${jobName}`,
      jobName,
      trigger: NEVER,
      timeout: 100,
      ...spec,
    });
    return name;
  }

  it.each(['obeys', 'returns late', 'throws something else late'])(
    'fails a run at its deadline whose handler %s within the grace',
    async (jobName) => {
      const run = await fire(node, await create(jobName));
      expect(run).toMatchObject({ status: 'failed', error: TIMED_OUT });
      expect(run.durationMs).toBeGreaterThanOrEqual(100);
      await untilTrue('the slot is free', () => node.engine.status().running === 0);
      expect(node.engine.status().detached).toBe(0);
    },
  );

  it('fails a run whose handler blocks the event loop beyond the deadline and then returns', async () => {
    expect(await fire(node, await create('blocks'))).toMatchObject({ status: 'failed', error: TIMED_OUT });
  });

  it('fails a run whose handler never settles, opens its gate, and keeps its slot', async () => {
    const name = await create('never settles');
    expect(await fire(node, name)).toMatchObject({ status: 'failed', error: TIMED_OUT });
    expect(executions.at(-1)?.signal.reason).toEqual(new RunAbortedError(TIMED_OUT));
    expect(node.engine.status()).toMatchObject({ running: 0, detached: 1 });

    // Under `forbid` the next fire runs all the same: the run before is over, though its handler is not.
    expect(await fire(node, name)).toMatchObject({ status: 'failed', error: TIMED_OUT });
    expect(node.engine.status()).toMatchObject({ slots: 3, running: 0, detached: 2 });

    expect(await fire(node, name)).toMatchObject({ status: 'failed', error: TIMED_OUT });
    expect(node.engine.status()).toMatchObject({ slots: 3, running: 0, detached: 3 });

    // A leaking node claims nothing more.
    const quick = await create('quick', { timeout: 0 });
    const { requestId } = await node.manager.triggerNow(quick);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    expect(await runsOf(node, quick)).toEqual([]);

    // A slot is free as soon as its handler settles at last; what was decided stays.
    stubborn.open();
    expect(await untilFireIsOver(node, quick, requestId)).toMatchObject({ status: 'succeeded' });
    await untilTrue('every slot is free', () => node.engine.status().detached === 0);
    expect((await runsOf(node, name)).map(({ status }) => status)).toEqual(['failed', 'failed', 'failed']);
  });

  it('does not time out before time, also beyond what a timer takes', async () => {
    const name = await create('quick', { timeout: OVER_A_MONTH_MS });
    expect(await fire(node, name)).toMatchObject({ status: 'succeeded' });
    const blocking = await create('blocks', { timeout: OVER_A_MONTH_MS });
    expect(await fire(node, blocking)).toMatchObject({ status: 'succeeded' });
  });

  it('bounds a schedule of timeout 0 by runTimeout, and one with a timeout by its own', async () => {
    const [limited, unlimited] = await Promise.all([
      startStoreApp({
        url: database.url,
        store: { schema: 'limited', runTimeout: 100 },
        providers: [job('blocks and obeys', ({ signal }) => aborted(signal))],
      }),
      startStoreApp({
        url: database.url,
        store: { schema: 'unlimited', runTimeout: 0 },
        providers: [
          job('work', ({ signal }) => {
            expect(signal.aborted).toBe(false);
          }),
        ],
      }),
    ]);
    try {
      await limited.manager.create({
        name: 'inherits',
        jobName: 'blocks and obeys',
        trigger: NEVER,
        timeout: 0,
      });
      expect(await fire(limited, 'inherits')).toMatchObject({ status: 'failed', error: TIMED_OUT });
      await limited.manager.create({
        name: 'own',
        jobName: 'blocks and obeys',
        trigger: NEVER,
        timeout: 150,
      });
      expect(await fire(limited, 'own')).toMatchObject({
        status: 'failed',
        error: 'The run timed out after 150 ms.',
      });
      await unlimited.manager.create({ name: 'free', jobName: 'work', trigger: NEVER });
      expect(await fire(unlimited, 'free')).toMatchObject({ status: 'succeeded' });
    } finally {
      await Promise.all([limited.close(), unlimited.close()]);
    }
  });
});
