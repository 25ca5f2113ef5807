import { RUN_CANCELED_EVENT, type ConcurrencyPolicy, type RunCanceledEvent } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER, runsOf, untilFireIsOver, untilOver } from '../engine/support/runs.js';

describe('overlap policies', () => {
  let database: TestDatabase;
  let first: StoreApp;
  let second: StoreApp;
  const gated = new GatedJob('gated');
  const aborted: string[] = [];
  const canceled: RunCanceledEvent[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    const abortable = job('abortable', async ({ runId, signal }) => {
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
      aborted.push(runId);
      signal.throwIfAborted();
    });
    const start = async (): Promise<StoreApp> =>
      startStoreApp({ url: database.url, providers: [gated.provider, abortable] });
    first = await start();
    second = await start();
    for (const node of [first, second]) {
      node.events.on(RUN_CANCELED_EVENT, (event: RunCanceledEvent) => canceled.push(event));
    }
  });

  afterAll(async () => {
    gated.gate.open();
    await first.close();
    await second.close();
    await database.drop();
  });

  async function create(name: string, jobName: string, concurrencyPolicy: ConcurrencyPolicy): Promise<void> {
    await first.manager.create({ name, jobName, trigger: NEVER, concurrencyPolicy });
  }

  it('lets one fire wait under queue, and skips later ones while it does', async () => {
    await create('queued', 'gated', 'queue');
    await first.manager.triggerNow('queued');
    await untilTrue('the first fire runs', () => gated.of('queued').length === 1);
    const waiting = await first.manager.triggerNow('queued');
    await untilTrue('the second fire waits', async () => {
      const rows = await database.query('select 1 from crn_fire_request where is_queued');
      return rows.length === 1;
    });
    const late = await first.manager.triggerNow('queued');
    expect(await untilFireIsOver(first, 'queued', late.requestId)).toMatchObject({
      status: 'skipped',
      reason: 'queue_full',
    });
    expect(gated.of('queued')).toHaveLength(1);

    gated.gate.open();
    expect(await untilFireIsOver(first, 'queued', waiting.requestId)).toMatchObject({ status: 'succeeded' });
    expect(gated.of('queued')).toHaveLength(2);
  });

  it('aborts the running run under replace, wherever it runs, and fires when it has ended', async () => {
    await create('replaced', 'abortable', 'replace');
    await first.manager.triggerNow('replaced');
    await untilTrue(
      'the first fire runs',
      async () => (await runsOf(first, 'replaced', 'running')).length === 1,
    );
    await second.manager.triggerNow('replaced');

    const [run] = await untilOver(first, 'replaced', 1);
    expect(run).toMatchObject({ status: 'canceled', reason: 'replaced' });
    expect(aborted).toContain(run?.id);
    await untilTrue(
      'the second fire runs',
      async () => (await runsOf(first, 'replaced', 'running')).length === 1,
    );
    await untilTrue('the cancellation was announced', () => canceled.some(({ runId }) => runId === run?.id));
    expect(canceled.find(({ runId }) => runId === run?.id)).toMatchObject({ willRecover: false });
    await first.manager.cancelRunsOf('replaced');
    expect(await untilOver(first, 'replaced', 2)).toMatchObject([
      { reason: 'replaced' },
      { status: 'canceled', reason: 'operator', canceledBy: 'system' },
    ]);
  });
});
