import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ZoneRulesKeeper } from '../../../lib/manager/index.js';
import type { ScheduleSpec } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';
import { runsOf, summary, untilOver } from '../engine/support/runs.js';

const HOUR_MS = 3_600_000;
/** Noon in UTC; the fires below are at 20:00 in Tokyo, 11:00 in UTC, the next one tomorrow. */
const NOON = Date.parse('2030-03-01T12:00:00Z');
const TOMORROW = Date.parse('2030-03-02T11:00:00Z');
const EVENING_IN_TOKYO = { trigger: { kind: 'cron', expr: '0 20 * * *', timezone: 'Asia/Tokyo' } } as const;

describe('time-zone rules that change', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let node: StoreApp;

  beforeEach(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(NOON);
    node = await startStoreApp({ url: database.url, clock, providers: [job('work', () => undefined)] });
  });

  afterEach(async () => {
    jest.restoreAllMocks();
    await node.close();
    await database.drop();
  });

  async function create(name: string, spec: Partial<ScheduleSpec> = {}): Promise<void> {
    await node.manager.create({ name, jobName: 'work', ...EVENING_IN_TOKYO, ...spec });
  }

  /** A node under other rules computed this cursor. */
  async function computedElsewhere(name: string, cursorUnixMs: number): Promise<void> {
    await database.query('update crn_schedule set next_fire_at_unix_ms = $2 where name = $1', [
      name,
      cursorUnixMs,
    ]);
  }

  async function storedVersion(): Promise<unknown> {
    const [row] = await database.query<{ version: string }>(
      'select time_zone_rules as version from crn_store',
    );
    return row?.version;
  }

  async function bootWith(version: string): Promise<void> {
    await node.app.get(ZoneRulesKeeper, { strict: false }).keep(version);
  }

  const cursorOf = async (name: string) => (await node.manager.get(name)).schedule.nextFireAtUnixMs;

  it('are remembered by the first node that boots', async () => {
    expect(await storedVersion()).toBe(process.versions['tz']);
  });

  it('move the cursors that disagree, once, log each, and leave the others and the versions of schedules alone', async () => {
    const log = jest.spyOn(Logger.prototype, 'log');
    await create('moved');
    await create('paused', { enabled: true });
    await node.manager.pause('paused');
    await create('agreeing');
    await create('utc', { trigger: { kind: 'cron', expr: '0 11 * * *' } });
    await create('interval', { trigger: { kind: 'interval', everyMs: HOUR_MS } });
    for (const name of ['moved', 'paused', 'utc', 'interval']) {
      await computedElsewhere(name, TOMORROW + HOUR_MS);
    }
    await bootWith('2999a');

    expect(await Promise.all(['moved', 'paused', 'agreeing'].map(cursorOf))).toEqual([
      TOMORROW,
      TOMORROW,
      TOMORROW,
    ]);
    expect(await Promise.all(['utc', 'interval'].map(cursorOf))).toEqual([
      TOMORROW + HOUR_MS,
      TOMORROW + HOUR_MS,
    ]);
    expect((await node.manager.get('moved')).schedule.version).toBe(1);
    const told = log.mock.calls
      .map(([message]) => String(message))
      .filter((text) => /rules changed/.test(text));
    expect(told).toHaveLength(2);
    expect(told.join()).toMatch(
      /"moved" fires next at 2030-03-02T11:00:00.000Z instead of 2030-03-02T12:00:00.000Z/,
    );
    expect(await storedVersion()).toBe('2999a');

    await computedElsewhere('moved', TOMORROW + HOUR_MS);
    await bootWith('2999a');
    expect(await cursorOf('moved')).toBe(TOMORROW + HOUR_MS);
  });

  it('never move a cursor over an occurrence that is due', async () => {
    await create('due');
    await node.manager.pause('due');
    await computedElsewhere('due', NOON - 1_000);
    await bootWith('2999a');
    expect(await cursorOf('due')).toBe(NOON - 1_000);
  });

  it('hand an occurrence that lies earlier now, and is past already, to the misfire policy', async () => {
    await clock.freezeAt(NOON - 2 * HOUR_MS);
    await create('earlier');
    await computedElsewhere('earlier', NOON + HOUR_MS);
    await clock.freezeAt(NOON);
    await bootWith('2999a');

    expect((await untilOver(node, 'earlier')).map(summary)).toEqual(['succeeded 2030-03-01T11:00:00.000Z']);
    expect(await cursorOf('earlier')).toBe(TOMORROW);
  });

  it('repeat nothing that was fired or missed before', async () => {
    await clock.freezeAt(NOON - 24 * HOUR_MS);
    await create('skipping', { misfirePolicy: 'skip' });
    await node.manager.pause('skipping');
    await clock.freezeAt(NOON);
    await node.manager.resume('skipping');
    await untilOver(node, 'skipping');
    await computedElsewhere('skipping', TOMORROW + HOUR_MS);
    await bootWith('2999a');

    expect(await cursorOf('skipping')).toBe(TOMORROW);
    expect((await runsOf(node, 'skipping')).map(summary)).toEqual(['missed 2030-03-01T11:00:00.000Z (1)']);
  });

  it.each(['2020a', '1999zz'])(
    'are not taken back by a node with the older ones of %s, which warns',
    async (older) => {
      const warn = jest.spyOn(Logger.prototype, 'warn');
      await create('kept');
      await computedElsewhere('kept', TOMORROW + HOUR_MS);
      await database.query(`update crn_store set time_zone_rules = '2999b'`);
      await bootWith(older);

      expect(await cursorOf('kept')).toBe(TOMORROW + HOUR_MS);
      expect(await storedVersion()).toBe('2999b');
      expect(warn.mock.calls.map(([message]) => String(message)).join()).toMatch(
        /older than the store's 2999b/,
      );
    },
  );

  it('are left alone by a node that does not know its own', async () => {
    await create('unknown');
    await computedElsewhere('unknown', TOMORROW + HOUR_MS);
    await bootWith('not a version');
    expect(await cursorOf('unknown')).toBe(TOMORROW + HOUR_MS);
  });
});
