import { Injectable } from '@nestjs/common';
import {
  type Execution,
  PermissionChecker,
  type PermissionQuery,
  type PermissionTarget,
  type Run,
} from '../../../lib/index.js';
import { job } from '../../integration/engine/support/jobs.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { HeaderAuthentication, ManagementApp, YEARLY } from './support/management-app.js';

const definition = { jobName: 'report', trigger: YEARLY };

/** Three occurrences of it. */
const THREE_YEARS = { fromUnixMs: Date.UTC(2019, 0, 1), toUnixMs: Date.UTC(2021, 0, 1) };

const NOBODY = '019a0000-0000-7000-8000-000000000000';

/** Settles when it is canceled, and not before. */
async function untilCanceled({ signal }: Execution): Promise<void> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  signal.throwIfAborted();
}

const asked = new Map<string, PermissionTarget | undefined>();

@Injectable()
class RememberingChecker extends PermissionChecker {
  override isPermitted({ action, target }: PermissionQuery): boolean {
    asked.set(action, target);
    return true;
  }
}

describe.each(['express', 'fastify'] as const)('fires on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({
      url: database.url,
      adapter,
      management: { guards: [HeaderAuthentication], permissionChecker: RememberingChecker },
      providers: [job('patient', untilCanceled)],
    });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function runsOf(scheduleName: string): Promise<Run[]> {
    return app.manager.listRuns({ scheduleName });
  }

  async function untilStatus(scheduleName: string, status: Run['status'], count: number): Promise<Run[]> {
    await untilTrue(
      `${count} are ${status}`,
      async () => (await runsOf(scheduleName)).filter((run) => run.status === status).length === count,
    );
    return runsOf(scheduleName);
  }

  async function outcomesOf(target: string): Promise<unknown[]> {
    const answer = await app.call('audit/find_page', { target }, { meta: { sort: { field: 'atUnixMs' } } });
    const { items } = answer.data as { readonly items: Record<string, unknown>[] };
    return items.map(({ resource, action, outcome, actorId }) => [resource, action, outcome, actorId]);
  }

  it('tells of a pause, and what it keeps from firing', async () => {
    await app.call('schedule/create', { name: 'paused', ...definition });
    const untilUnixMs = Date.UTC(2099, 0, 1);
    await app.call('schedule/pause', { name: 'paused', note: 'Stocktaking.', untilUnixMs });
    const { data } = await app.call('schedule/get', { name: 'paused' });
    expect(data).toMatchObject({
      schedule: {
        state: 'paused',
        isOrphaned: false,
        pausedBy: 'u-1',
        pauseNote: 'Stocktaking.',
        pausedUntilUnixMs: untilUnixMs,
      },
      nextFiresUnixMs: [],
    });
    expect((data as { nextFiresIfResumedUnixMs: number[] }).nextFiresIfResumedUnixMs).toHaveLength(5);
    expect(await app.call('schedule/pause', { name: 'paused', untilUnixMs: 1 })).toMatchObject({
      code: 2706,
    });
    expect(await app.call('schedule/pause', { name: 'paused', note: '' })).toMatchObject({ code: 2706 });
  });

  it('fires once for one key, with params of its own, even while paused if that is said', async () => {
    await app.call('schedule/create', { name: 'keyed', ...definition, enabled: false });
    const fire = { name: 'keyed', idempotencyKey: 'ticket-1', params: { region: 'us' } };
    expect(await app.call('schedule/trigger_now', fire)).toMatchObject({ status: 200, code: 2702 });
    const first = await app.call('schedule/trigger_now', { ...fire, evenIfPaused: true });
    expect(first).toMatchObject({ code: 0, data: { replayed: false } });
    await untilStatus('keyed', 'succeeded', 1);

    const again = await app.envelope('schedule/trigger_now', { ...fire, params: null });
    const { requestId } = first.data as { readonly requestId: string };
    expect(again).toMatchObject({ code: 0, data: { requestId, replayed: true } });
    expect(await runsOf('keyed')).toMatchObject([{ idempotencyKey: requestId, createdBy: 'u-1' }]);
    expect(app.executions.filter((execution) => execution.scheduleName === 'keyed')).toMatchObject([
      { params: { region: 'us' } },
    ]);
  });

  it('previews a backfill, fires it, and shows how far it has come', async () => {
    await app.call('schedule/create', { name: 'behind', ...definition });
    const range = { name: 'behind', ...THREE_YEARS };
    expect(await app.call('schedule/preview_backfill', range)).toMatchObject({
      code: 0,
      data: { totalCount: 3 },
    });
    expect(await runsOf('behind')).toEqual([]);
    const started = await app.call('schedule/backfill', range);
    expect(started).toMatchObject({
      code: 0,
      data: { ...THREE_YEARS, totalCount: 3, firedCount: 0, status: 'running', createdBy: 'u-1' },
    });
    const { id } = started.data as { readonly id: string };

    const runs = await untilStatus('behind', 'succeeded', 3);
    expect(runs.map((run) => [run.origin, run.occurrenceAtUnixMs])).toEqual(
      [2021, 2020, 2019].map((year) => ['backfill', Date.UTC(year, 0, 1)]),
    );
    expect(await app.call('schedule/find_backfills', { name: 'behind' })).toMatchObject({
      code: 0,
      data: [{ id, status: 'completed', firedCount: 3 }],
    });
    expect(await app.call('schedule/cancel_backfill', { name: 'behind', id })).toMatchObject({ code: 2706 });
    expect(await outcomesOf('behind')).toEqual([
      ['sys/cron/schedule', 'create', 'success', 'u-1'],
      ['sys/cron/schedule', 'backfill', 'success', 'u-1'],
      ['sys/cron/schedule', 'cancel_backfill', 'failed', 'u-1'],
    ]);
  });

  it('refuses a backfill of a schedule whose trigger cannot be read', async () => {
    await app.manager.create({ name: 'unreadable', ...definition });
    await database.query(`update crn_schedule set expr = 'never' where name = 'unreadable'`);
    const params = { name: 'unreadable', ...THREE_YEARS };
    expect(await app.call('schedule/preview_backfill', params)).toMatchObject({ status: 200, code: 2703 });
    expect(await app.call('schedule/backfill', params)).toMatchObject({ status: 200, code: 2703 });
    await app.manager.delete('unreadable');
  });

  it('cancels a backfill that has not fired', async () => {
    await app.call('schedule/create', { name: 'held back', ...definition, jobName: 'cleanup' });
    await app.call('schedule/hold', { jobName: 'cleanup' });
    const { data } = await app.call('schedule/backfill', { name: 'held back', ...THREE_YEARS });
    const { id } = data as { readonly id: string };
    expect(await app.call('schedule/cancel_backfill', { name: 'held back', id })).toMatchObject({
      code: 0,
      data: { id, status: 'canceled', firedCount: 0 },
    });
    await app.call('schedule/release', { jobName: 'cleanup' });
    expect(await app.manager.listBackfills('held back')).toMatchObject([
      { status: 'canceled', firedCount: 0 },
    ]);
  });

  it.each([
    ['preview_backfill', { fromUnixMs: 2, toUnixMs: 1 }, 2706],
    ['preview_backfill', { fromUnixMs: 0 }, 1400],
    ['backfill', { fromUnixMs: 0, toUnixMs: Date.UTC(2099, 0, 1) }, 2706],
    ['backfill', { fromUnixMs: '2020', toUnixMs: 1 }, 1400],
    ['backfill', { fromUnixMs: 1, toUnixMs: 2, limit: 3 }, 1400],
    ['cancel_backfill', {}, 1400],
    ['cancel_backfill', { id: 'x\0' }, 2706],
  ])('refuses %s with %j', async (action, params, code) => {
    expect(await app.call(`schedule/${action}`, { name: 'behind', ...params })).toMatchObject({
      code,
      data: null,
    });
  });

  it('knows no schedule that there is not', async () => {
    for (const [action, params] of [
      ['schedule/preview_backfill', THREE_YEARS],
      ['schedule/backfill', THREE_YEARS],
      ['schedule/cancel_backfill', { id: NOBODY }],
      ['schedule/find_backfills', {}],
      ['run/cancel_all', {}],
    ] as const) {
      for (const name of ['nope', 'a\0b', '\ud800']) {
        expect([action, await app.call(action, { name, ...params })]).toMatchObject([
          action,
          { status: 200, code: 2700, data: null },
        ]);
      }
    }
  });

  it('holds a job and the store, each on its own', async () => {
    await app.call('schedule/create', { name: 'waits', ...definition });
    const untilUnixMs = Date.UTC(2099, 0, 1);
    const hold = { jobName: 'report', note: 'Year-end closing.', untilUnixMs };
    expect(await app.call('schedule/hold', hold)).toMatchObject({
      code: 0,
      data: { ...hold, heldBy: 'u-1' },
    });
    expect(await app.call('schedule/hold', {})).toMatchObject({ code: 0, data: { heldBy: 'u-1' } });
    const { data } = await app.call('schedule/find_holds');
    expect(data).toMatchObject([{ heldBy: 'u-1' }, hold]);
    expect((data as object[])[0]).not.toHaveProperty('jobName');

    await app.call('schedule/trigger_now', { name: 'waits' });
    expect(await app.call('schedule/release')).toMatchObject({ code: 0, data: { wasHeld: true } });
    expect(await runsOf('waits')).toEqual([]);
    expect(await app.call('schedule/release', { jobName: 'report' })).toMatchObject({
      data: { wasHeld: true },
    });
    await untilStatus('waits', 'succeeded', 1);
    expect(await app.call('schedule/release', { jobName: 'report' })).toMatchObject({
      data: { wasHeld: false },
    });
    expect(await app.call('schedule/hold', { untilUnixMs: 1 })).toMatchObject({ code: 2706 });
    expect(await app.call('schedule/hold', { jobName: '' })).toMatchObject({ code: 2706 });
    expect(await app.call('schedule/find_holds')).toMatchObject({ code: 0, data: [] });
  });

  it('cancels a run, and all runs of a schedule', async () => {
    const patient = { ...definition, jobName: 'patient', concurrencyPolicy: 'allow' };
    await app.call('schedule/create', { name: 'stuck', ...patient });
    await app.call('schedule/trigger_now', { name: 'stuck' });
    const [{ id } = { id: '' }] = await untilStatus('stuck', 'running', 1);
    expect(await app.call('run/cancel', { id })).toMatchObject({ code: 0, data: { requestedCount: 1 } });
    await untilStatus('stuck', 'canceled', 1);
    expect(await app.call('run/find_one', { id })).toMatchObject({
      data: { status: 'canceled', reason: 'operator', canceledBy: 'u-1' },
    });
    expect(await app.call('run/cancel', { id })).toMatchObject({ code: 0, data: { requestedCount: 0 } });
    expect(await outcomesOf(id)).toEqual([
      ['sys/cron/run', 'cancel', 'success', 'u-1'],
      ['sys/cron/run', 'cancel', 'success', 'u-1'],
    ]);

    await app.call('schedule/trigger_now', { name: 'stuck' });
    await app.call('schedule/trigger_now', { name: 'stuck' });
    await untilStatus('stuck', 'running', 2);
    expect(await app.envelope('run/cancel_all', { name: 'stuck' })).toMatchObject({
      code: 0,
      data: { requestedCount: 2 },
    });
    await untilStatus('stuck', 'canceled', 3);
  });

  it('repeats a run, for whoever may fire the schedule as it is now', async () => {
    await app.call('schedule/create', { name: 'once more', ...definition });
    await app.call('schedule/trigger_now', { name: 'once more', params: { region: 'eu' } });
    const [first] = await untilStatus('once more', 'succeeded', 1);
    const id = first?.id ?? '';
    await app.call('schedule/patch', {
      name: 'once more',
      newName: 'renamed',
      jobName: 'cleanup',
      enabled: false,
    });
    expect(await app.call('run/rerun', { id })).toMatchObject({ status: 200, code: 2702 });
    expect(asked.get('rerun')).toEqual({
      scheduleNames: ['once more', 'renamed'],
      jobNames: ['report', 'cleanup'],
    });
    expect(await app.call('run/rerun', { id, evenIfPaused: true })).toMatchObject({
      code: 0,
      data: { replayed: false },
    });
    const [second] = await untilStatus('renamed', 'succeeded', 2);
    expect(second).toMatchObject({ jobName: 'cleanup', scheduledAtUnixMs: first?.scheduledAtUnixMs });

    for (const unknown of [NOBODY, 'x', 'a\0b']) {
      expect(await app.call('run/rerun', { id: unknown })).toMatchObject({ status: 200, code: 2001 });
      expect(await app.call('run/cancel', { id: unknown })).toMatchObject({ status: 200, code: 2001 });
      expect(asked.get('rerun')).toBeUndefined();
    }
  });

  it('asks for the permission on everything where a job or the store is held', async () => {
    await app.call('schedule/hold', { jobName: 'report' });
    await app.call('schedule/release', { jobName: 'report' });
    expect([...asked.keys()]).toEqual(expect.arrayContaining(['hold', 'release']));
    expect([asked.get('hold'), asked.get('release')]).toEqual([undefined, undefined]);
    await app.call('schedule/backfill', { name: 'behind', fromUnixMs: 1, toUnixMs: 0 });
    expect(asked.get('backfill')).toEqual({ scheduleNames: ['behind'], jobNames: ['report'] });
  });
});
