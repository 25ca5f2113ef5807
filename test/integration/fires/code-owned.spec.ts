import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { type DefaultSchedule, every, RUN_MISSED_EVENT, type RunMissedEvent } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';

const FIRST: DefaultSchedule = {
  trigger: { kind: 'cron', expr: '0 1 * * *' },
  params: { version: 1 },
  onRedeploy: 'update',
};
const SECOND: DefaultSchedule = {
  ...FIRST,
  trigger: { kind: 'cron', expr: '0 2 * * *' },
  params: { version: 2 },
};

const schedule = async ({ manager }: StoreApp) => (await manager.get('report')).schedule;
const nightly = async ({ manager }: StoreApp) => (await manager.get('nightly')).schedule;

describe('default schedules that the code owns', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await database.drop();
  });

  /** Boots a deployment, lets the test look at it, and stops it. */
  async function deployed<Result>(
    defaultSchedule: DefaultSchedule,
    look: (node: StoreApp) => Promise<Result>,
  ): Promise<Result> {
    const provider = job({ name: 'report', defaultSchedule }, () => undefined);
    const node = await startStoreApp({
      url: database.url,
      providers: [provider, job('old', () => undefined)],
    });
    try {
      return await look(node);
    } finally {
      await node.close();
    }
  }

  it('follow the code at boot: job, trigger, params and policies, never the pause', async () => {
    const before = await deployed(FIRST, async (node) => {
      await node.manager.patch('report', { jobName: 'old' });
      await node.manager.pause('report', { actor: 'ann', note: 'until monday' });
      return schedule(node);
    });
    expect(await deployed(SECOND, schedule)).toMatchObject({
      id: before.id,
      jobName: 'report',
      expr: '0 2 * * *',
      params: { version: 2 },
      state: 'paused',
      pausedBy: 'ann',
      pauseNote: 'until monday',
      version: before.version + 1,
    });
  });

  it('leave what was due by the old timing as one missed run, and tell about it', async () => {
    await deployed(FIRST, schedule);
    await database.query('update crn_schedule set next_fire_at_unix_ms = next_fire_at_unix_ms - 259200000');
    const events: RunMissedEvent[] = [];
    const listen = (event: unknown) => events.push(event as RunMissedEvent);
    subscribe(RUN_MISSED_EVENT, listen);
    const runs = await deployed(SECOND, ({ manager }) => manager.listRuns());
    unsubscribe(RUN_MISSED_EVENT, listen);

    expect(runs).toMatchObject([{ status: 'missed', reason: 'timing_changed', missedCount: 3 }]);
    expect(events).toMatchObject([
      {
        runId: runs[0]?.id,
        scheduleName: 'report',
        scheduledAtUnixMs: runs[0]?.scheduledAtUnixMs,
        missedCount: 3,
      },
    ]);
  });

  it('are not touched by a boot with the same definition, however it is written, nor while an operator changed them', async () => {
    const edited = await deployed(FIRST, (node) => node.manager.patch('report', { params: { by: 'ann' } }));
    const { trigger, params, onRedeploy } = FIRST as Required<DefaultSchedule>;
    expect(await deployed({ onRedeploy, params, trigger }, schedule)).toMatchObject({
      version: edited.version,
      params: { by: 'ann' },
    });
  });

  it('keep the name that an operator gave, and stay deleted', async () => {
    await deployed(FIRST, (node) => node.manager.patch('report', { name: 'renamed' }));
    const names = await deployed(SECOND, async ({ manager }) => {
      const found = await manager.list();
      await manager.delete('renamed');
      return found.map(({ name, expr }) => `${name} ${expr}`);
    });
    expect(names).toEqual(['renamed 0 2 * * *']);
    expect(await deployed(FIRST, ({ manager }) => manager.list())).toEqual([]);
  });

  it('take over a schedule of their name and job, and follow the code from its next definition on', async () => {
    const created = await deployed({ ...FIRST, name: 'other' }, ({ manager }) =>
      manager.create({ name: 'report', jobName: 'report', trigger: every('1h') }),
    );
    expect(await deployed(FIRST, schedule)).toMatchObject(created);
    expect(await deployed(SECOND, schedule)).toMatchObject({ id: created.id, expr: '0 2 * * *' });
  });

  it('leave a schedule of another job alone that has their name, and do not come when it is deleted', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const taken = { ...FIRST, name: 'nightly' };
    const created = await deployed(FIRST, ({ manager }) =>
      manager.create({ name: 'nightly', jobName: 'old', trigger: every('1h'), params: { keep: 1 } }),
    );

    expect(await deployed(taken, nightly)).toMatchObject(created);
    const changed = { ...SECOND, name: 'nightly' };
    expect(await deployed(changed, nightly)).toMatchObject(created);
    expect(await deployed(taken, nightly)).toMatchObject(created);
    await deployed(changed, ({ manager }) => manager.delete('nightly'));
    expect(await deployed(taken, ({ manager }) => manager.list({ jobName: 'report' }))).toMatchObject([
      { name: 'report' },
    ]);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/"nightly" of the job "report" was not seeded, and will not be: .* another job/),
      { scheduleName: 'nightly', jobName: 'report' },
    );
  });

  it('never go back to a lower revision while versions run side by side', async () => {
    await deployed({ ...SECOND, revision: 2 }, schedule);
    expect(await deployed({ ...FIRST, revision: 1 }, schedule)).toMatchObject({
      expr: '0 2 * * *',
      version: 1,
    });
    expect(await deployed({ ...FIRST, revision: 3 }, schedule)).toMatchObject({
      expr: '0 1 * * *',
      version: 2,
    });
  });

  it('belong to the operators by default', async () => {
    const { onRedeploy: _, ...kept } = FIRST;
    await deployed(kept, schedule);
    expect(await deployed({ ...SECOND, onRedeploy: 'keep' }, schedule)).toMatchObject({ expr: '0 1 * * *' });
  });

  it.each([{ onRedeploy: 'replace' }, { revision: 1.5 }] as unknown as DefaultSchedule[])(
    'fail the boot with %j, naming the handler',
    async (fault) => {
      const boot = deployed({ ...FIRST, ...fault }, schedule);
      await expect(boot).rejects.toThrow(/default schedule of FunctionHandler .* is invalid/);
    },
  );
});
