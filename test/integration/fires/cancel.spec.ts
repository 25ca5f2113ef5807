import { RunNotFoundError } from '../../../lib/index.js';
import { CAN_LISTEN, createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER, runsOf, untilOver } from '../engine/support/runs.js';

describe('canceling runs', () => {
  let database: TestDatabase;
  let worker: StoreApp;
  let operator: StoreApp;
  const gated = new GatedJob('stubborn');

  beforeAll(async () => {
    database = await createTestDatabase();
    const polite = job('polite', async ({ signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      signal.throwIfAborted();
    });
    // Nobody takes a run over, however far the heartbeats are apart.
    const store = { abandonedAfter: '2h' };
    // Where the heartbeats are far apart, what arrives at once arrives by notification.
    worker = await startStoreApp({
      url: database.url,
      store: CAN_LISTEN ? { ...store, heartbeatInterval: '1h' } : store,
      providers: [polite, gated.provider],
    });
    operator = await startStoreApp({ url: database.url, store });
  });

  afterAll(async () => {
    gated.gate.open();
    await worker.close();
    await operator.close();
    await database.drop();
  });

  async function running(name: string, jobName: string): Promise<string> {
    await worker.manager.create({
      name,
      jobName,
      trigger: NEVER,
      recover: true,
      retry: { maxAttempts: 5 },
      concurrencyPolicy: 'allow',
    });
    await worker.manager.triggerNow(name);
    await untilRunning(1);
    const [run] = await runsOf(worker, name);
    return run?.id ?? '';
  }

  /** Until the worker itself knows so many runs, which it has to before it hears of their cancellation. */
  async function untilRunning(count: number): Promise<void> {
    await untilTrue(`${count} run`, () => worker.engine.status().running === count);
  }

  it('aborts the handler on whichever node runs it, and is neither recovered nor retried', async () => {
    const runId = await running('polite', 'polite');
    expect(await operator.manager.cancelRun(runId, { actor: 'ann' })).toEqual({ requestedCount: 1 });

    const [run] = await untilOver(worker, 'polite', 1);
    expect(run).toMatchObject({ status: 'canceled', reason: 'operator', canceledBy: 'ann' });
    expect(await database.query('select 1 from crn_fire_request')).toEqual([]);
    expect(await operator.manager.cancelRun(runId)).toEqual({ requestedCount: 0 });
  });

  it('does not wait for a handler that ignores its signal', async () => {
    await running('stubborn', 'stubborn');
    await operator.manager.cancelRunsOf('stubborn');

    expect(await untilOver(worker, 'stubborn', 1)).toMatchObject([{ status: 'canceled' }]);
    await untilTrue('the handler is given up', () => {
      const { running: active, detached } = worker.engine.status();
      return active === 0 && detached === 1;
    });
    gated.gate.open();
    await untilTrue('the slot is free', () => worker.engine.status().detached === 0);
  });

  it('cancels every run of a schedule, and counts them', async () => {
    await running('many', 'polite');
    await worker.manager.triggerNow('many');
    await untilRunning(2);

    expect(await operator.manager.cancelRunsOf('many')).toEqual({ requestedCount: 2 });
    expect((await untilOver(worker, 'many', 2)).map(({ status }) => status)).toEqual([
      'canceled',
      'canceled',
    ]);
  });

  it('does not know a run that is not there', async () => {
    await expect(operator.manager.cancelRun('01890000-0000-7000-8000-000000000000')).rejects.toThrow(
      RunNotFoundError,
    );
    await expect(operator.manager.cancelRun('not an id')).rejects.toThrow(RunNotFoundError);
  });
});
