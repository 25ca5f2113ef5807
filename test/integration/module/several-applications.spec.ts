import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import type { CronStoreOptions } from '../../../lib/index.js';
import { job } from '../engine/support/jobs.js';
import { NEVER, untilFireIsOver } from '../engine/support/runs.js';

describe('several applications on one store', () => {
  let database: TestDatabase;
  const started = new Set<StoreApp>();
  const executed: string[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await Promise.all([...started].map((app) => app.close()));
    started.clear();
    await database.drop();
  });

  /** An application with these jobs. */
  async function start(name: string, jobNames: readonly string[], store: CronStoreOptions = {}) {
    const providers = jobNames.map((jobName) => job(jobName, () => executed.push(`${jobName} by ${name}`)));
    const app = await startStoreApp({ url: database.url, store, providers });
    started.add(app);
    return app;
  }

  it('execute each its own jobs; one that only manages asks for all of them, and one that is off for none', async () => {
    await start('mail', ['send', 'bounce']);
    const reports = await start('reports', ['report']);
    const api = await start('api', [], { execute: false });
    const off = await start('off', ['send', 'report'], { enabled: false });

    expect(await api.manager.listJobs()).toEqual(['bounce', 'report', 'send']);
    expect(await api.manager.listNodes()).toHaveLength(2);
    expect(api.engine.status()).toMatchObject({ state: 'disabled', slots: 0 });
    for (const jobName of ['send', 'bounce', 'report']) {
      await api.manager.create({ name: jobName, jobName, trigger: NEVER });
      const { requestId } = await api.manager.triggerNow(jobName);
      expect(await untilFireIsOver(api, jobName, requestId)).toMatchObject({ status: 'succeeded' });
    }
    expect(executed).toEqual(['send by mail', 'bounce by mail', 'report by reports']);

    // What has nobody left to execute it waits, and is known to.
    await reports.close();
    started.delete(reports);
    await api.manager.triggerNow('report');
    expect(await api.manager.list({ orphaned: true })).toMatchObject([{ name: 'report' }]);
    const again = await start('again', ['report']);
    await untilTrue('it is executed', () => executed.includes('report by again'));
    expect(again.engine.status().state).toBe('running');
    expect(off.engine.status()).toMatchObject({ state: 'disabled' });
    expect(executed.filter((what) => what.endsWith('by off'))).toEqual([]);
  });
});
