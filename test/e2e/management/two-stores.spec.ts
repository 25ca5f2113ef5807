import { Injectable } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import {
  CronStoreModule,
  type Execution,
  getScheduleManagerToken,
  JobHandler,
  PermissionChecker,
  type PermissionQuery,
  type ScheduleManager,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';
import { type Adapter, HeaderAuthentication, ManagementApp, YEARLY } from './support/management-app.js';

/** Which stores were asked for which permissions. */
const asked: string[] = [];

@Injectable()
class Noting extends PermissionChecker {
  override isPermitted({ store, permission }: PermissionQuery): boolean {
    asked.push(`${store} ${permission}`);
    return true;
  }
}

const executed: string[] = [];

@JobHandler({ name: 'report', store: 'billing' })
class BillingReport implements JobHandler {
  execute({ store }: Execution): void {
    executed.push(store);
  }
}

describe.each<Adapter>(['express', 'fastify'])('two stores behind one server (%s)', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    const management = { guards: [HeaderAuthentication], permissionChecker: Noting };
    app = await ManagementApp.start({
      url: database.url,
      adapter,
      management,
      imports: [
        CronStoreModule.forRoot({
          ...QUICK,
          name: 'billing',
          schema: 'billing',
          management: { ...management, path: 'billing/api' },
        }),
      ],
      providers: [BillingReport],
    });
  });

  beforeEach(() => {
    asked.length = 0;
  });

  afterAll(async () => {
    await app.app.close();
    await database.drop();
  });

  it('have each their own schedules, and ask for permission in their own names', async () => {
    const spec = { jobName: 'report', trigger: YEARLY };
    expect(await app.call('schedule/create', { name: 'a', ...spec })).toMatchObject({ code: 0 });
    const created = await app.post('/../billing/api/sys/cron/schedule/create', {
      params: { name: 'b', ...spec },
    });
    expect(created).toMatchObject({ code: 0 });
    const find = { resource: 'sys/cron/schedule', action: 'find_page' };

    expect(await app.post('', find)).toMatchObject({ data: { items: [{ name: 'a' }] } });
    expect(await app.post('/../billing/api', find)).toMatchObject({ data: { items: [{ name: 'b' }] } });
    expect(asked).toEqual([
      'default cron.schedule.manage',
      'billing cron.schedule.manage',
      'default cron.schedule.query',
      'billing cron.schedule.query',
    ]);
    const trigger = { params: { name: 'b' } };
    await app.post('/../billing/api/sys/cron/schedule/trigger_now', trigger);
    await untilTrue('it is executed', () => executed.length > 0);
    expect(executed).toEqual(['billing']);
    executed.length = 0;
    const billing = app.app.get<ScheduleManager>(getScheduleManagerToken('billing'));
    expect((await billing.list()).map(({ name }) => name)).toEqual(['b']);
  });

  it('are documented side by side, without two operations of one id', () => {
    const document = SwaggerModule.createDocument(app.app, new DocumentBuilder().build());
    const operations = Object.entries(document.paths).map(([path, { post }]) => ({
      path,
      id: post?.operationId ?? '',
    }));
    const ids = operations.map(({ id }) => id);

    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.filter((id) => id.startsWith('billing_api_'))).toHaveLength(
      operations.filter(({ path }) => path.startsWith('/billing/api')).length,
    );
    expect(ids.filter((id) => id.startsWith('billing_api_')).length * 2).toBe(ids.length);
  });
});
