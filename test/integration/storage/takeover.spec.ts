import { Takeover } from '../../../lib/storage/runs/takeover.js';
import type { RunOutcome } from '../../../lib/storage/index.js';
import { StillStorage } from './support/still-storage.js';

const RULES = { staleBeforeUnixMs: 2_000, nowUnixMs: 5_000, maxRecoveries: 5 };

describe('a takeover', () => {
  let still: StillStorage;
  let scheduleId: string;

  beforeAll(async () => {
    still = await StillStorage.start();
    scheduleId = await still.createSchedule('schedule');
  });

  afterAll(async () => {
    await still.close();
  });

  afterEach(async () => {
    await still.database.empty('crn_run', 'crn_fire_request');
  });

  /** Takes over what was found stale before, as a claim or a sweep does. @returns what was taken over. */
  async function takeOver(...runIds: readonly string[]): Promise<string[]> {
    const { storage } = still;
    const takeover = new Takeover(storage.schema, storage.requests);
    const takenOver = await storage.connections.transaction('engine', ({ executor }) =>
      takeover.takeOverStale(executor, { ...RULES, runIds }),
    );
    return takenOver.map(({ run, willRecover }) => `${run.id} ${run.status} ${willRecover}`);
  }

  it('abandons what is stale indeed, and requests its recovery', async () => {
    const id = await still.journal({ scheduleId });
    expect(await takeOver(id)).toEqual([`${id} abandoned true`]);
    expect(await still.repeatedIds()).toEqual([id]);
  });

  it('spares a run whose heartbeat arrived after it was looked at', async () => {
    const id = await still.journal({ scheduleId, heartbeatAtUnixMs: 2_000 });
    expect(await takeOver(id)).toEqual([]);
    expect(await still.run(id)).toMatchObject({ status: 'running' });
  });

  it('spares a run that ended after it was looked at', async () => {
    const id = await still.journal({ scheduleId });
    await still.database.query(`update crn_run set status = 'succeeded' where id = $1`, [id]);
    expect(await takeOver(id)).toEqual([]);
    expect(await still.run(id)).toMatchObject({ status: 'succeeded' });
    expect(await still.repeatedIds()).toEqual([]);
  });

  it('of a run that somebody had canceled is not taken for the outcome of its late node', async () => {
    const id = await still.journal({ scheduleId });
    await still.database.query(
      `update crn_run set cancel_requested_at_unix_ms = 1000, cancel_reason = 'operator' where id = $1`,
      [id],
    );
    expect(await takeOver(id)).toEqual([`${id} canceled false`]);
    const late: RunOutcome = {
      runId: id,
      scheduleId,
      status: 'canceled',
      reason: 'operator',
      startedAtUnixMs: 1_000,
      finishedAtUnixMs: 6_000,
      durationMs: 5_000,
    };
    expect(await still.storage.outcomes.write('node', [late])).toMatchObject({
      writtenIds: new Set(),
      standing: new Map(),
    });
  });

  it('does not wait for a run whose outcome is in flight, and leaves it to the next attempt', async () => {
    const [locked, free] = [await still.journal({ scheduleId }), await still.journal({ scheduleId })];
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from crn_run where id = $1 for update', [locked]);
    try {
      expect(await takeOver(locked, free)).toEqual([`${free} abandoned true`]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });

  it('does not repeat a run that somebody had asked to end', async () => {
    const id = await still.journal({ scheduleId });
    await still.database.query(
      `update crn_run set cancel_requested_at_unix_ms = 1, cancel_reason = 'operator' where id = $1`,
      [id],
    );
    expect(await takeOver(id)).toEqual([`${id} canceled false`]);
    expect(await still.repeatedIds()).toEqual([]);
  });

  it('commits together with the request of the recovery, or not at all', async () => {
    const id = await still.journal({ scheduleId });
    await still.database.query(
      `create function refuse() returns trigger language plpgsql as $$ begin raise 'no room'; end $$;
       create trigger refuse before insert on crn_fire_request for each row execute function refuse()`,
    );
    await expect(takeOver(id)).rejects.toThrow('no room');
    expect(await still.run(id)).toMatchObject({ status: 'running' });
    await still.database.query('drop trigger refuse on crn_fire_request; drop function refuse()');
    expect(await takeOver(id)).toEqual([`${id} abandoned true`]);
  });

  it('comes by a sweep only under the lock of the schedule: what somebody holds is left to the next', async () => {
    const otherId = await still.createSchedule('other');
    const [held, free] = [await still.journal({ scheduleId }), await still.journal({ scheduleId: otherId })];
    const sweep = async () => {
      const takenOver = await still.storage.staleRuns.sweep({
        abandonedAfterMs: 1_000,
        maxRecoveries: 5,
        mayTakeOver: () => true,
      });
      return takenOver.map(({ run }) => run.id);
    };
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('select from crn_schedule where id = $1 for update', [scheduleId]);
    try {
      expect(await sweep()).toEqual([free]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    expect(await sweep()).toEqual([held]);
  });
});
