import { every, ScheduleDisabledError, ScheduleInvalidError } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { runsOf, untilOver } from '../engine/support/runs.js';

const MINUTE_MS = 60_000;
const START = Date.parse('2030-03-01T00:00:00Z');

describe('backfilling a past range', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;
  const gated = new GatedJob('gated');

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    node = await startStoreApp({
      url: database.url,
      clock,
      providers: [job('work', () => undefined), gated.provider],
    });
  });

  afterAll(async () => {
    gated.gate.open();
    await node.close();
    await database.drop();
  });

  async function create(name: string, jobName = 'work'): Promise<void> {
    await node.manager.create({
      name,
      jobName,
      trigger: every(MINUTE_MS),
      startsAt: START - 60 * MINUTE_MS,
    });
  }

  it('fires every occurrence of the range again, in order, with the key of the occurrence', async () => {
    await create('whole');
    const range = { from: START - 10 * MINUTE_MS, to: START - 6 * MINUTE_MS };
    expect(await node.manager.previewBackfill('whole', range)).toEqual({ totalCount: 5 });
    expect(await node.manager.backfill('whole', range, { actor: 'ann' })).toMatchObject({
      totalCount: 5,
      firedCount: 0,
      status: 'running',
      createdBy: 'ann',
    });

    const runs = await untilOver(node, 'whole', 5);
    expect(runs.map((run) => run.scheduledAtUnixMs)).toEqual(
      [10, 9, 8, 7, 6].map((minutes) => START - minutes * MINUTE_MS),
    );
    expect(runs).toMatchObject(
      runs.map((run) => ({
        origin: 'backfill',
        status: 'succeeded',
        occurrenceAtUnixMs: run.scheduledAtUnixMs,
        idempotencyKey: `${run.scheduleId}:${run.scheduledAtUnixMs}`,
        createdBy: 'ann',
      })),
    );
    expect(await node.manager.listBackfills('whole')).toMatchObject([
      { status: 'completed', firedCount: 5, endedAtUnixMs: START },
    ]);
  });

  it('is canceled between two occurrences', async () => {
    await create('canceled', 'gated');
    const { id } = await node.manager.backfill('canceled', {
      from: START - 10 * MINUTE_MS,
      to: START - MINUTE_MS,
    });
    await untilTrue('the first runs', () => gated.of('canceled').length === 1);
    expect(await node.manager.cancelBackfill('canceled', id)).toMatchObject({
      status: 'canceled',
      firedCount: 1,
    });

    gated.gate.open();
    await untilOver(node, 'canceled', 1);
    expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
    expect(await runsOf(node, 'canceled')).toHaveLength(1);
    await expect(node.manager.cancelBackfill('canceled', id)).rejects.toThrow(ScheduleInvalidError);
  });

  it.each([
    [{ from: START, to: START - 1 }, /must not be before from/],
    [{ from: START, to: START + MINUTE_MS }, /must not be in the future/],
    [{ from: START - 90_000, to: START - 70_000 }, /holds no occurrence/],
    [{ from: START }, /to is required/],
    [{ from: 'yesterday', to: START }, /from must be a valid Date/],
  ])('refuses %j, and fires nothing', async (range, message) => {
    await create('strict');
    const backfill = node.manager.backfill('strict', range as { from: number; to: number });
    await expect(backfill).rejects.toThrow(ScheduleInvalidError);
    await expect(backfill).rejects.toThrow(message);
    expect(await node.manager.listBackfills('strict')).toEqual([]);
    await node.manager.delete('strict');
  });

  it('refuses more occurrences than it fires, and a paused schedule', async () => {
    await node.manager.create({
      name: 'long',
      jobName: 'work',
      trigger: every(1_000),
      startsAt: START - 24 * 60 * MINUTE_MS,
    });
    const day = { from: START - 24 * 60 * MINUTE_MS, to: START };
    await expect(node.manager.previewBackfill('long', day)).rejects.toThrow(/holds 86401 occurrences/);
    await node.manager.pause('long');
    await expect(node.manager.backfill('long', { from: START - MINUTE_MS, to: START })).rejects.toThrow(
      ScheduleDisabledError,
    );
  });
});
