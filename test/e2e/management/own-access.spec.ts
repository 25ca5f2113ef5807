import { Injectable } from '@nestjs/common';
import { PermissionChecker, type PermissionQuery } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ADMIN, HeaderAuthentication, ManagementApp, YEARLY } from './support/management-app.js';

describe('what one may do oneself', () => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => app.close());

  afterAll(async () => database?.drop());

  async function permitted(params: object = {}, user = ADMIN): Promise<readonly string[]> {
    const { code, data } = await app.call('access/get', params, { user });
    expect(code).toBe(0);
    return (data as { readonly permitted: readonly string[] }).permitted;
  }

  it('is told to whoever is signed in, with who that is, and to nobody else', async () => {
    app = await ManagementApp.start({ url: database.url, adapter: 'express' });
    const nobody = await app.call('access/get', {}, { user: undefined });
    expect(nobody).toMatchObject({ status: 401, code: 1000 });
    const { data } = await app.call('access/get', {}, { user: { id: 'u-2', name: 'Vera' } });
    expect(data).toEqual({
      actor: { id: 'u-2', name: 'Vera' },
      store: { name: 'default' },
      nowUnixMs: expect.any(Number),
      permitted: ['sys/cron/access/get'],
    });
    const viewer = await permitted({}, { id: 'u-3', permissions: 'cron.schedule.query' });
    expect(viewer).toEqual(expect.arrayContaining(['sys/cron/schedule/get', 'sys/cron/node/find_page']));
    expect(viewer.filter((name) => name.startsWith('sys/cron/run/'))).toEqual([]);
    expect(await permitted()).toContain('sys/cron/schedule/delete');
    const unknown = await app.call('access/get', { schedule: 'a' });
    expect(unknown).toMatchObject({ status: 400, code: 1400 });
    const foreign = await app.call('access/get', {}, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect(foreign).toMatchObject({ status: 403 });
  });

  it('says whose schedules these are', async () => {
    const owned = await createTestDatabase();
    app = await ManagementApp.start({
      url: owned.url,
      adapter: 'express',
      store: { environment: 'staging' },
    });
    const { data } = await app.call('access/get', {}, { user: ADMIN });
    expect(data).toMatchObject({ store: { name: 'default', environment: 'staging' } });
    await app.close();
    await owned.drop();
  });

  it('is what the checker of the application says, about one schedule where one is named', async () => {
    @Injectable()
    class Teams extends PermissionChecker {
      override isPermitted({ target }: PermissionQuery): boolean {
        return target?.jobNames.every((job) => job === 'report') === true;
      }
    }
    app = await ManagementApp.start({
      url: database.url,
      adapter: 'fastify',
      management: { guards: [HeaderAuthentication], permissionChecker: Teams },
    });
    await app.manager.create({ name: 'mine', jobName: 'report', trigger: YEARLY });
    await app.manager.create({ name: 'theirs', jobName: 'cleanup', trigger: YEARLY });
    expect(await permitted()).toEqual(['sys/cron/access/get']);
    expect(await permitted({ scheduleName: 'theirs' })).toEqual(['sys/cron/access/get']);
    expect(await permitted({ scheduleName: 'missing' })).toEqual(['sys/cron/access/get']);
    const mine = await permitted({ scheduleName: 'mine' });
    expect(mine).toContain('sys/cron/schedule/pause');
    expect(mine).not.toContain('sys/cron/schedule/find_page');
  });

  it('is nothing where the checker fails', async () => {
    class Failing extends PermissionChecker {
      override isPermitted(): boolean {
        throw new Error('the policy server is down');
      }
    }
    app = await ManagementApp.start({
      url: database.url,
      adapter: 'express',
      management: { guards: [HeaderAuthentication], permissionChecker: Failing },
    });
    expect(await app.call('access/get')).toMatchObject({ status: 500, code: 1900, data: null });
  });
});
