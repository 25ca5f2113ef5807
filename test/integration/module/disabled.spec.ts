import type { ModuleMetadata } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreEngine,
  CronStoreModule,
  every,
  JobHandler,
  ScheduleManager,
  StoreDisabledError,
} from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase } from '../../support/database.js';
import { rejectionOf } from '../manager/support/still-store.js';

@JobHandler({ name: 'tick', defaultSchedule: { trigger: every('1s') } })
class TickHandler implements JobHandler {
  execute() {
    return undefined;
  }
}

describe('a disabled store', () => {
  let database: TestDatabase;
  let module: TestingModule;
  let manager: ScheduleManager;
  let engine: CronStoreEngine;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => module.close());

  afterAll(() => database.drop());

  async function boot(...imports: NonNullable<ModuleMetadata['imports']>) {
    module = await Test.createTestingModule({
      imports: [
        EventEmitterModule.forRoot(),
        ...imports,
        CronStoreModule.forRoot({ enabled: false, autoMigrate: true }),
      ],
      providers: [TickHandler],
    }).compile();
    await module.init();
    manager = module.get(ScheduleManager);
    engine = module.get(CronStoreEngine);
  }

  it('touches no table, and opens no connection: an empty database stays empty', async () => {
    await boot(TypeOrmModule.forRoot({ ...options(database.url), applicationName: 'disabled' }));
    await rejectionOf(manager.list());
    await rejectionOf(engine.runOnce());
    const objects = await database.query(
      `select 1 from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where n.nspname not in ('pg_catalog', 'information_schema', 'pg_toast')`,
    );
    const connections = await database.query(
      `select 1 from pg_stat_activity where application_name = 'disabled' and datname = current_database()`,
    );

    expect(objects).toEqual([]);
    // The one that the host's own data source opened to see that the database is there.
    expect(connections.length).toBeLessThanOrEqual(1);
  });

  it('needs no data source at all', async () => {
    await boot();
    await engine.drain();

    expect(engine.status()).toMatchObject({ state: 'disabled', running: 0 });
    expect(engine.status()).not.toHaveProperty('nodeId');
  });

  it('refuses every call with 2705, whatever is given', async () => {
    await boot();
    const spec = { name: 'a', jobName: 'tick', trigger: every('1s') };
    const calls = [
      () => manager.create(spec),
      () => manager.create(null as never),
      () => manager.update('a', spec),
      () => manager.patch('a', {}),
      () => manager.delete('a'),
      () => manager.pause('a'),
      () => manager.resume('a'),
      () => manager.triggerNow('a'),
      () => manager.triggerNow(5 as never, null as never),
      () => manager.get('a'),
      () => manager.list(),
      () => manager.list('all' as never),
      () => manager.listRuns(),
      () => manager.rerun('5'),
      () => manager.cancelRun('5'),
      () => manager.cancelRunsOf('a'),
      () => manager.previewBackfill('a', null as never),
      () => manager.backfill('a', null as never),
      () => manager.cancelBackfill('a', '5'),
      () => manager.listBackfills('a'),
      () => manager.hold({}),
      () => manager.release(5 as never),
      () => manager.listHolds(),
      () => engine.runOnce(),
    ];

    for (const call of calls) {
      const error = await rejectionOf(call());
      expect(error).toBeInstanceOf(StoreDisabledError);
      expect(error).toMatchObject({ code: 2705, message: expect.stringMatching(/`enabled: true`/) });
    }
  });
});
