import type { RunOutcome } from '../../../lib/storage/index.js';
import { StillStorage } from './support/still-storage.js';

describe('outcomes and heartbeats', () => {
  let still: StillStorage;
  let scheduleId: string;

  beforeAll(async () => {
    still = await StillStorage.start();
  });

  beforeEach(async () => {
    scheduleId = await still.createSchedule('schedule');
  });

  afterEach(async () => {
    await still.database.empty('crn_schedule', 'crn_run', 'crn_fire_request');
  });

  afterAll(async () => {
    await still.close();
  });

  function succeeded(runId: string): RunOutcome {
    return {
      runId,
      scheduleId,
      status: 'succeeded',
      startedAtUnixMs: 1_000,
      finishedAtUnixMs: 2_000,
      durationMs: 1_000,
    };
  }

  it('leave a run as it is that was abandoned, and say so', async () => {
    const id = await still.journal({ scheduleId });
    await still.database.query(`update crn_run set status = 'abandoned' where id = $1`, [id]);
    const written = await still.storage.outcomes.write('node', [succeeded(id)]);
    expect([...written.writtenIds, ...written.standing.keys()]).toEqual([]);
    const { aliveIds } = await beat(id);
    expect([...aliveIds]).toEqual([]);
    expect(await still.run(id)).toEqual({ status: 'abandoned', beat: 1_000 });
  });

  it('leave a run alone that is another node’s', async () => {
    const id = await still.journal({ scheduleId, nodeId: 'another' });
    const written = await still.storage.outcomes.write('node', [succeeded(id)]);
    expect([...written.writtenIds]).toEqual([]);
    const { aliveIds } = await beat(id);
    expect([...aliveIds]).toEqual([]);
    expect(await still.run(id)).toEqual({ status: 'running', beat: 1_000 });
  });

  it('are written, and refresh, where the run is running and the node’s own', async () => {
    const id = await still.journal({ scheduleId });
    expect([...(await beat(id)).aliveIds]).toEqual([id]);
    expect((await still.run(id))?.beat).toBeGreaterThan(1_000);
    const written = await still.storage.outcomes.write('node', [succeeded(id)]);
    expect([...written.writtenIds]).toEqual([id]);
    expect(await still.run(id)).toMatchObject({ status: 'succeeded' });
  });

  it('refresh by a stand-in what is running and the node’s own, and nothing else', async () => {
    const [own, another, abandoned] = [
      await still.journal({ scheduleId }),
      await still.journal({ scheduleId, nodeId: 'another' }),
      await still.journal({ scheduleId }),
    ];
    await still.database.query(`update crn_run set status = 'abandoned' where id = $1`, [abandoned]);
    const { text, values } = still.storage.heartbeats.standInStatement('node');
    await still.database.query(text, values);
    expect((await still.run(own))?.beat).toBeGreaterThan(1_000);
    expect(await still.run(another)).toEqual({ status: 'running', beat: 1_000 });
    expect(await still.run(abandoned)).toEqual({ status: 'abandoned', beat: 1_000 });
  });

  it('keep a node alive whose one run is locked, by a commit that takes long', async () => {
    const [locked, free] = [await still.journal({ scheduleId }), await still.journal({ scheduleId })];
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from crn_run where id = $1 for update', [locked]);
    try {
      const { aliveIds } = await beat(locked, free);
      expect(aliveIds).toEqual(new Set([locked, free]));
      expect((await still.run(free))?.beat).toBeGreaterThan(1_000);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });

  it('request a repetition of what a shutdown canceled, and of nothing that nobody wants any more', async () => {
    const reasons = ['shutdown', 'operator', 'replaced'] as const;
    const ids = await Promise.all(reasons.map(() => still.journal({ scheduleId })));
    const { repeatedIds } = await still.storage.outcomes.write(
      'node',
      ids.map((id, index) => ({
        ...succeeded(id),
        status: 'canceled',
        reason: reasons[index] ?? 'shutdown',
      })),
    );
    expect([...repeatedIds]).toEqual(ids.slice(0, 1));
    expect(await still.repeatedIds()).toEqual(ids.slice(0, 1));
  });

  it('request no repetition that outlives the schedule, however its deletion and the outcome meet', async () => {
    const id = await still.journal({ scheduleId });
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from crn_schedule where id = $1 for update', [scheduleId]);
    await runner.query('delete from crn_fire_request where schedule_id = $1', [scheduleId]);
    await runner.query('delete from crn_schedule where id = $1', [scheduleId]);
    const canceled = { ...succeeded(id), status: 'canceled', reason: 'shutdown' } as const;
    expect(await still.storage.outcomes.write('node', [canceled])).toMatchObject({
      waitingIds: new Set([id]),
    });
    await runner.commitTransaction();
    await runner.release();
    expect(await still.storage.outcomes.write('node', [canceled])).toMatchObject({
      writtenIds: new Set([id]),
      repeatedIds: new Set(),
    });
    expect(await still.run(id)).toMatchObject({ status: 'canceled' });
    expect(await still.repeatedIds()).toEqual([]);
  });

  it('wait for no schedule that somebody has locked, and are written when it is free', async () => {
    const [done, stopped] = [await still.journal({ scheduleId }), await still.journal({ scheduleId })];
    const freeScheduleId = await still.createSchedule('free');
    const free = await still.journal({ scheduleId: freeScheduleId });
    const canceled = { status: 'canceled', reason: 'shutdown' } as const;
    const outcomes: RunOutcome[] = [
      succeeded(done),
      { ...succeeded(stopped), ...canceled },
      { ...succeeded(free), ...canceled, scheduleId: freeScheduleId },
    ];
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from crn_schedule where id = $1 for update', [scheduleId]);
    try {
      expect(await still.storage.outcomes.write('node', outcomes)).toEqual({
        writtenIds: new Set([done, free]),
        repeatedIds: new Set([free]),
        waitingIds: new Set([stopped]),
        standing: new Map(),
      });
      expect(await still.run(stopped)).toMatchObject({ status: 'running' });
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect(await still.storage.outcomes.write('node', outcomes.slice(1, 2))).toMatchObject({
      writtenIds: new Set([stopped]),
      repeatedIds: new Set([stopped]),
      waitingIds: new Set(),
    });
  });

  async function beat(...runIds: readonly string[]) {
    return still.storage.heartbeats.beat(
      { id: 'node', host: 'host', pid: 1, jobNames: ['work'], slots: 1, version: '0' },
      0,
      runIds.map((id) => ({ id, startedAtUnixMs: 1_000 })),
    );
  }
});
