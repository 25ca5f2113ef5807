import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { ASLEEP } from '../../support/asleep.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ManagementApp, YEARLY } from './support/management-app.js';

const definition = { jobName: 'report', trigger: YEARLY };

/** Every change there is to a schedule, with what it takes. */
const CHANGES: readonly [string, object][] = [
  ['create', { name: 'new', ...definition }],
  ['update', { name: 'old', newName: 'renamed', ...definition }],
  ['patch', { name: 'old', recover: true }],
  ['delete', { name: 'old' }],
  ['pause', { name: 'old' }],
  ['resume', { name: 'paused' }],
  ['trigger_now', { name: 'old' }],
];

describe('the audit trail', () => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({
      url: database.url,
      adapter: 'express',
      // What is asked for stays asked for, so that it can be counted.
      store: ASLEEP,
    });
    await database.query(`
      create function fail() returns trigger language plpgsql as $$ begin raise exception 'a fault'; end $$`);
  });

  beforeEach(async () => {
    await database.empty('crn_schedule', 'crn_schedule_name', 'crn_fire_request', 'crn_audit');
    await app.manager.create({ name: 'old', ...definition });
    await app.manager.create({ name: 'paused', ...definition, enabled: false });
    await database.query('truncate crn_audit');
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function state(): Promise<unknown> {
    return database.query(`
      select (select json_agg(s order by id) from crn_schedule s) as schedules,
        (select count(*) from crn_fire_request) as requests`);
  }

  async function records(): Promise<unknown[]> {
    return database.query('select * from crn_audit order by id');
  }

  it.each(CHANGES)('has the record of a %s with the change', async (action, params) => {
    const before = await state();
    expect(await app.call(`schedule/${action}`, params)).toMatchObject({ code: 0 });
    expect(await state()).not.toEqual(before);
    expect(await records()).toMatchObject([
      { action, outcome: 'success', code: 0, actor_id: 'u-1', actor_name: 'Ada' },
    ]);
  });

  it.each(CHANGES)('lets no %s happen that it cannot record', async (action, params) => {
    const before = await state();
    await database.query(`
      create trigger fault before insert on crn_audit for each row
        when (new.outcome = 'success') execute function fail()`);
    try {
      const answer = await app.call(`schedule/${action}`, params);
      expect(answer).toMatchObject({ status: 500, code: 1900, data: null });
      expect(answer.text).not.toContain('a fault');
    } finally {
      await database.query('drop trigger fault on crn_audit');
    }
    expect(await state()).toEqual(before);
    expect(await records()).toMatchObject([{ action, outcome: 'failed', code: 1900, actor_id: 'u-1' }]);
  });

  it.each(CHANGES)('records no %s that does not commit', async (action, params) => {
    const before = await state();
    await database.query(`
      create constraint trigger fault after insert on crn_audit deferrable initially deferred for each row
        when (new.outcome = 'success') execute function fail()`);
    try {
      expect(await app.call(`schedule/${action}`, params)).toMatchObject({ status: 500, code: 1900 });
    } finally {
      await database.query('drop trigger fault on crn_audit');
    }
    expect(await state()).toEqual(before);
    expect(await records()).toMatchObject([{ action, outcome: 'failed', code: 1900 }]);
  });

  it('shows a change before and after, without secrets', async () => {
    await app.manager.patch('old', { params: { token: 't-1', region: 'eu' } });
    await app.call('schedule/patch', { name: 'old', params: { token: 't-2', region: 'us' } });
    const page = await app.call('audit/find_page', { actorId: 'u-1' });
    expect(page).toMatchObject({
      data: {
        items: [
          {
            before: { version: 2, params: { token: '[redacted]', region: 'eu' } },
            after: { version: 3, params: { token: '[redacted]', region: 'us' } },
          },
        ],
      },
    });
    expect(page.text).not.toMatch(/t-1|t-2/);
  });

  it('names the actor of a change in code, and `system` where none is given', async () => {
    await app.manager.pause('old', { actor: { id: 'billing', name: 'Billing' } });
    await app.manager.resume('old');
    await expect(app.manager.pause('missing', { actor: 'billing' })).rejects.toMatchObject({ code: 2700 });
    expect(await records()).toMatchObject([
      { action: 'pause', actor_id: 'billing', actor_name: 'Billing', outcome: 'success' },
      { action: 'resume', actor_id: 'system', outcome: 'success' },
      { action: 'pause', actor_id: 'billing', target: 'missing', outcome: 'failed', code: 2700 },
    ]);
  });

  it('is found by every name of a schedule, and by none of another schedule that took one over', async () => {
    const actionsOf = async (target: string): Promise<readonly string[]> => {
      const { data } = await app.call('audit/find_page', { target });
      const { items, total } = data as {
        items: readonly { action: string; target: string }[];
        total: number;
      };
      expect(total).toBe(items.length);
      return items.map((item) => `${item.action} ${item.target}`);
    };
    await app.manager.pause('old');
    await app.manager.patch('old', { name: 'renamed' });
    await app.manager.resume('renamed');
    const ofFirst = ['resume renamed', 'patch old', 'pause old'];
    expect(await actionsOf('renamed')).toEqual(ofFirst);
    expect(await actionsOf('old')).toEqual(ofFirst);

    await app.manager.create({ name: 'old', ...definition });
    await app.manager.backfill('old', { from: Date.UTC(2019, 0, 1), to: Date.UTC(2021, 0, 1) });
    await app.manager.delete('old');
    expect(await actionsOf('renamed')).toEqual(ofFirst);
    expect(await actionsOf('old')).toEqual(['delete old', 'backfill old', 'create old', ...ofFirst]);

    // Nothing tells which of them was meant.
    await expect(app.manager.pause('old')).rejects.toMatchObject({ code: 2700 });
    expect(await actionsOf('renamed')).toEqual(['pause old', ...ofFirst]);
    expect(await actionsOf('nobody')).toEqual([]);
  });

  it('goes with the transaction of the caller', async () => {
    const dataSource = app.app.get<DataSource>(getDataSourceToken());
    const rolledBack = dataSource.transaction(async (transaction) => {
      await app.manager.pause('old', { transaction });
      throw new Error('rolled back');
    });
    await expect(rolledBack).rejects.toThrow('rolled back');
    expect(await records()).toEqual([]);
    await dataSource.transaction(async (transaction) => {
      await app.manager.pause('old', { transaction });
    });
    expect(await records()).toMatchObject([{ action: 'pause', outcome: 'success' }]);
  });

  it('goes on where it cannot record who was denied', async () => {
    await database.query('alter table crn_audit rename to crn_hidden');
    try {
      const answer = await app.call('schedule/pause', { name: 'old' }, { user: { id: 'u-2' } });
      expect(answer).toMatchObject({ status: 403, code: 1100 });
    } finally {
      await database.query('alter table crn_hidden rename to crn_audit');
    }
  });
});
