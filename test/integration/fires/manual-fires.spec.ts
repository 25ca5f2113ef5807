import {
  type Execution,
  RunNotFoundError,
  ScheduleConflictError,
  ScheduleDisabledError,
  ScheduleInvalidError,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER, runsOf, untilFireIsOver, untilOver } from '../engine/support/runs.js';

const UNKNOWN_ID = '01890000-0000-7000-8000-000000000000';

describe('manual fires', () => {
  let database: TestDatabase;
  let first: StoreApp;
  let second: StoreApp;
  const executions: Execution[] = [];
  const gated = new GatedJob('gated');

  beforeAll(async () => {
    database = await createTestDatabase();
    const work = job('work', (execution) => {
      executions.push(execution);
    });
    const start = async (): Promise<StoreApp> =>
      startStoreApp({ url: database.url, providers: [work, gated.provider] });
    first = await start();
    second = await start();
  });

  afterAll(async () => {
    gated.gate.open();
    await first.close();
    await second.close();
    await database.drop();
  });

  async function create(name: string, jobName = 'work'): Promise<void> {
    await first.manager.create({ name, jobName, trigger: NEVER, params: { of: 'the schedule' } });
  }

  it('happens once under a key, from two nodes at once and again after it has finished (scenario 35)', async () => {
    await create('keyed');
    const options = { idempotencyKey: 'the only one', actor: 'ann' };
    const receipts = await Promise.all(
      [first, second, first, second].map(({ manager }) => manager.triggerNow('keyed', options)),
    );
    const [{ requestId } = { requestId: '' }] = receipts;
    expect(receipts.every((receipt) => receipt.requestId === requestId)).toBe(true);
    expect(receipts.filter(({ replayed }) => !replayed)).toHaveLength(1);
    await untilFireIsOver(first, 'keyed', requestId);

    expect(await second.manager.triggerNow('keyed', options)).toEqual({ requestId, replayed: true });
    expect(await runsOf(first, 'keyed')).toMatchObject([{ idempotencyKey: requestId, createdBy: 'ann' }]);
  });

  it('keeps keys of different schedules apart', async () => {
    await create('one');
    await create('other');
    const receipts = [
      await first.manager.triggerNow('one', { idempotencyKey: 'same' }),
      await first.manager.triggerNow('other', { idempotencyKey: 'same' }),
    ];
    expect(receipts.map(({ replayed }) => replayed)).toEqual([false, false]);
  });

  it('takes params for one fire alone, null among them', async () => {
    await create('params');
    for (const params of [{ of: 'the fire' }, null, undefined]) {
      const { requestId } = await first.manager.triggerNow('params', params === undefined ? {} : { params });
      await untilFireIsOver(first, 'params', requestId);
    }
    const given = executions
      .filter(({ scheduleName }) => scheduleName === 'params')
      .map(({ params }) => params);
    expect(given).toEqual([{ of: 'the fire' }, null, { of: 'the schedule' }]);
  });

  it('passes a pause only where it is asked to', async () => {
    await create('paused');
    await first.manager.pause('paused');
    await expect(first.manager.triggerNow('paused')).rejects.toThrow(ScheduleDisabledError);

    const { requestId } = await first.manager.triggerNow('paused', { evenIfPaused: true });
    expect(await untilFireIsOver(first, 'paused', requestId)).toMatchObject({ status: 'succeeded' });
    expect((await first.manager.get('paused')).schedule.state).toBe('paused');
  });

  it.each([
    [{ idempotencyKey: '' }, /idempotencyKey must be a string/],
    [{ idempotencyKey: 'x'.repeat(501) }, /idempotencyKey must be a string/],
    [{ params: Number.NaN }, /params is NaN/],
    [{ evenIfPaused: 'yes' }, /evenIfPaused must be true or false/],
    [{ priority: 1 }, /is no field of/],
  ])('refuses %j, and asks for nothing', async (options, message) => {
    await create('strict');
    const trigger = first.manager.triggerNow('strict', options as object);
    await expect(trigger).rejects.toThrow(ScheduleInvalidError);
    await expect(trigger).rejects.toThrow(message);
    expect(await runsOf(first, 'strict')).toEqual([]);
    await first.manager.delete('strict');
  });

  describe('repeating a run', () => {
    it('fires it again with its logical time and its params, under a new key', async () => {
      await create('again');
      const { requestId } = await first.manager.triggerNow('again', { params: { day: 1 } });
      const run = await untilFireIsOver(first, 'again', requestId);
      const again = await first.manager.rerun(run.id, { actor: 'ann' });
      const repeated = await untilFireIsOver(first, 'again', again.requestId);

      expect(repeated).toMatchObject({
        origin: 'manual',
        scheduledAtUnixMs: run.scheduledAtUnixMs,
        createdBy: 'ann',
        attempt: 1,
      });
      expect(repeated.idempotencyKey).not.toBe(run.idempotencyKey);
      const last = executions.findLast(({ scheduleName }) => scheduleName === 'again');
      expect(last?.params).toEqual({ day: 1 });
    });

    it('refuses another version of the schedule than the expected one, also where that was renamed', async () => {
      await create('versioned');
      const { requestId } = await first.manager.triggerNow('versioned');
      const run = await untilFireIsOver(first, 'versioned', requestId);
      const { version: expectedVersion } = await first.manager.patch('versioned', { name: 'changed' });

      const refused = first.manager.rerun(run.id, { expectedVersion: expectedVersion - 1 });
      await expect(refused).rejects.toThrow(ScheduleConflictError);
      await expect(refused).rejects.toThrow(/The schedule "changed" has version 2, not 1/);
      const again = await first.manager.rerun(run.id, { expectedVersion });
      await untilFireIsOver(first, 'changed', again.requestId);
      expect(await runsOf(first, 'changed')).toHaveLength(2);
    });

    it('refuses a run that is unknown, running, or was never executed', async () => {
      await create('refused', 'gated');
      await expect(first.manager.rerun(UNKNOWN_ID)).rejects.toThrow(RunNotFoundError);
      await expect(first.manager.rerun("'; drop table crn_run; --")).rejects.toThrow(RunNotFoundError);

      await first.manager.triggerNow('refused');
      await untilTrue('it runs', () => gated.of('refused').length === 1);
      const [running] = await runsOf(first, 'refused', 'running');
      await expect(first.manager.rerun(running?.id ?? '')).rejects.toThrow(ScheduleInvalidError);
      await first.manager.triggerNow('refused');
      await untilOver(first, 'refused', 1);
      const [skipped] = await runsOf(first, 'refused', 'skipped');
      await expect(first.manager.rerun(skipped?.id ?? '')).rejects.toThrow(/skipped/);
      gated.gate.open();
    });
  });
});
