import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { cron, every, JobHandler, once, type DefaultSchedule } from '../../../lib/index.js';
import { DefaultScheduleSeeder } from '../../../lib/manager/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { rejectionOf } from './support/still-store.js';

/** A class that handles a job and brings a default schedule along. */
function handlerOf(job: string, schedule: DefaultSchedule) {
  @JobHandler({ name: job, defaultSchedule: schedule })
  class DigestHandler implements JobHandler {
    execute() {
      return undefined;
    }
  }
  return DigestHandler;
}

describe('seeding default schedules', () => {
  let database: TestDatabase;
  const running = new Set<StoreApp>();
  const DIGEST = handlerOf('digest', { name: 'nightly', trigger: cron('0 2 * * *', 'Asia/Shanghai') });

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await stop();
    await database.drop();
  });

  async function start(...providers: ReturnType<typeof handlerOf>[]): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, providers });
    running.add(node);
    return node;
  }

  async function stop() {
    await Promise.all([...running].map((node) => node.close()));
    running.clear();
  }

  /** Stops everything and starts again with the same code: a deployment. */
  async function redeploy(...providers: ReturnType<typeof handlerOf>[]): Promise<StoreApp> {
    await stop();
    return start(...providers);
  }

  it('creates it in the name of the system, named after the job where it has no name', async () => {
    const node = await start(DIGEST, handlerOf('sweep', { trigger: every('1h'), params: { a: 1 } }));

    expect(await node.manager.list()).toMatchObject([
      { name: 'nightly', jobName: 'digest', timezone: 'Asia/Shanghai', createdBy: 'system', version: 1 },
      { name: 'sweep', jobName: 'sweep', everyMs: 3_600_000, params: { a: 1 } },
    ]);
  });

  it('creates one, however many nodes seed at once, time and again (scenario 37)', async () => {
    const nodes = await Promise.all(Array.from({ length: 10 }, () => start(DIGEST)));
    const [first] = nodes;
    for (let round = 0; round < 20; round += 1) {
      expect(await first?.manager.list()).toMatchObject([{ name: 'nightly', version: 1 }]);
      // As if nobody had ever seeded, so that all of them race again.
      await database.empty('crn_seed', 'crn_schedule');
      await Promise.all(nodes.map((node) => node.app.get(DefaultScheduleSeeder).seed()));
    }

    expect(await database.query('select * from crn_seed')).toHaveLength(1);
  });

  it("never overwrites an operator's changes (scenario 37)", async () => {
    const node = await start(DIGEST);
    await node.manager.update('nightly', { jobName: 'digest', trigger: cron('30 4 * * *'), timeout: 5 });
    const edited = await node.manager.pause('nightly', { actor: 'ops' });

    expect((await (await redeploy(DIGEST)).manager.get('nightly')).schedule).toMatchObject(edited);
  });

  it('makes no twin of a renamed schedule, nor where somebody else takes its old name (scenario 37)', async () => {
    const node = await start(DIGEST);
    await node.manager.patch('nightly', { name: 'evening' });
    const again = await redeploy(DIGEST);
    expect((await again.manager.list()).map((schedule) => schedule.name)).toEqual(['evening']);

    await again.manager.create({ name: 'nightly', jobName: 'digest', trigger: every('1h') });
    const redeployed = await redeploy(DIGEST);
    expect(await redeployed.manager.list()).toMatchObject([
      { name: 'evening' },
      { name: 'nightly', kind: 'interval' },
    ]);
  });

  it('does not undo a deletion (scenario 37)', async () => {
    const node = await start(DIGEST);
    await node.manager.delete('nightly');

    expect(await (await redeploy(DIGEST)).manager.list()).toEqual([]);
    expect(await (await redeploy(DIGEST)).manager.list()).toEqual([]);
  });

  it('leaves a schedule alone that an operator created under its name before', async () => {
    const node = await start(handlerOf('digest', { name: 'other', trigger: every('1h') }));
    const created = await node.manager.create({ name: 'nightly', jobName: 'digest', trigger: every('2h') });
    const again = await redeploy(DIGEST);

    expect((await again.manager.get('nightly')).schedule).toMatchObject(created);
    await again.manager.delete('nightly');
    expect((await (await redeploy(DIGEST)).manager.list()).map((schedule) => schedule.name)).toEqual([
      'other',
    ]);
  });

  it('can seed a disabled one', async () => {
    const node = await start(handlerOf('digest', { trigger: once(0), enabled: false }));

    expect((await node.manager.get('digest')).schedule).toMatchObject({
      state: 'paused',
      pausedBy: 'system',
    });
  });

  it('logs one that would never fire and leaves it out, and the boot goes on', async () => {
    const warn = jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    const node = await start(handlerOf('past', { trigger: once(0) }), DIGEST);

    expect((await node.manager.list()).map((schedule) => schedule.name)).toEqual(['nightly']);
    expect(warn).toHaveBeenCalledWith(
      expect.stringMatching(/default schedule "past" of the job "past" was left out: .*would never fire/),
      { scheduleName: 'past', jobName: 'past' },
    );
    expect(node.engine.status().state).toBe('running');
  });

  it('seeds it as soon as a deployment corrects it', async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
    await start(handlerOf('job', { trigger: once(0) }));
    const node = await redeploy(handlerOf('job', { trigger: once(Date.UTC(2200, 0)) }));

    expect(await node.manager.list()).toMatchObject([{ name: 'job', kind: 'once' }]);
  });

  it.each([
    ['a trigger', { trigger: { kind: 'cron', expr: 'bad' } }, /bad/],
    ['a policy', { trigger: every('1h'), misfirePolicy: 'later' }, /misfirePolicy must be one of/],
    ['a field', { trigger: every('1h'), cron: '* * * * *' }, /'cron' is no field/],
  ])('fails the boot for %s that is invalid, naming the handler', async (_, schedule, reason) => {
    const error = await rejectionOf(start(handlerOf('digest', schedule as unknown as DefaultSchedule)));

    expect(error).toMatchObject({
      message: expect.stringMatching(/The default schedule of DigestHandler \(/),
    });
    expect(error).toMatchObject({ message: expect.stringMatching(reason) });
  });
});
