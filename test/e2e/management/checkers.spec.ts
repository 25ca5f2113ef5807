import type { Type } from '@nestjs/common';
import type { PermissionChecker } from '../../../lib/index.js';
import { CasbinChecker } from '../../../sample/02-rbac/checkers/casbin.checker.js';
import { CaslChecker } from '../../../sample/02-rbac/checkers/casl.checker.js';
import { RoleChecker } from '../../../sample/02-rbac/checkers/role.checker.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { HeaderAuthentication, ManagementApp, YEARLY } from './support/management-app.js';

/** Users as the application of a checker would have them. */
interface Users {
  readonly viewer: object;
  /** May change the schedules of the job `daily-report`, and of no other. */
  readonly operator: object;
}

const query = { action: ['cron.schedule.query', 'cron.run.query'], subject: 'Job' };
const manage = { action: 'cron.schedule.manage', subject: 'Job', conditions: { name: 'daily-report' } };

const CHECKERS: readonly [string, Type<PermissionChecker>, Users][] = [
  [
    'by hand',
    RoleChecker,
    { viewer: { id: 'u-1', roles: ['viewer'] }, operator: { id: 'u-2', roles: ['viewer', 'operator'] } },
  ],
  [
    'CASL',
    CaslChecker,
    { viewer: { id: 'u-1', rules: [query] }, operator: { id: 'u-2', rules: [query, manage] } },
  ],
  ['casbin', CasbinChecker, { viewer: { id: 'u-1' }, operator: { id: 'u-2' } }],
];

describe.each(CHECKERS)('permissions %s', (_, permissionChecker, { viewer, operator }) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({
      url: database.url,
      adapter: 'fastify',
      management: { guards: [HeaderAuthentication], permissionChecker },
      jobs: ['daily-report', 'accounting-close'],
    });
    for (const jobName of ['daily-report', 'accounting-close']) {
      await app.manager.create({ name: jobName, jobName, trigger: YEARLY });
    }
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it('let the viewer look, and change nothing', async () => {
    expect(await app.call('schedule/find_page', {}, { user: viewer })).toMatchObject({ code: 0 });
    for (const name of ['daily-report', 'accounting-close', 'nobody']) {
      expect(await app.call('schedule/pause', { name }, { user: viewer })).toMatchObject({ code: 1100 });
    }
  });

  it('let the operator change what is theirs, and nothing else', async () => {
    const user = operator;
    expect(await app.call('schedule/pause', { name: 'daily-report' }, { user })).toMatchObject({ code: 0 });
    expect(await app.call('schedule/pause', { name: 'accounting-close' }, { user })).toMatchObject({
      code: 1100,
    });
    for (const [name, jobName] of [
      ['daily-report', 'accounting-close'],
      ['accounting-close', 'daily-report'],
    ] as const) {
      const taken = await app.call('schedule/patch', { name, jobName }, { user });
      expect([name, taken]).toMatchObject([name, { code: 1100 }]);
    }
    const created = { name: 'other', jobName: 'accounting-close', trigger: YEARLY };
    expect(await app.call('schedule/create', created, { user })).toMatchObject({ code: 1100 });
  });
});
