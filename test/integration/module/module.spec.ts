import { Module, type ModuleMetadata } from '@nestjs/common';
import { ConfigModule, ConfigService } from '@nestjs/config';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreEngine,
  CronStoreModule,
  CronStoreOptionsError,
  cronStoreMigrations,
  every,
  JobHandler,
  ScheduleManager,
} from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase } from '../../support/database.js';
import { rejectionOf } from '../manager/support/still-store.js';
import { runMigrations } from '../storage/support/run-migrations.js';

@JobHandler('job')
class IdleHandler implements JobHandler {
  execute() {
    return undefined;
  }
}

describe('CronStoreModule', () => {
  let database: TestDatabase;
  const started = new Set<TestingModule>();

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await Promise.all([...started].map((module) => module.close()));
    started.clear();
    await database.drop();
  });

  async function boot(...imports: NonNullable<ModuleMetadata['imports']>): Promise<TestingModule> {
    const module = await Test.createTestingModule({
      imports: [EventEmitterModule.forRoot(), ...imports],
      providers: [IdleHandler],
    }).compile();
    await module.init();
    started.add(module);
    return module;
  }

  async function managerIn(schema: string): Promise<ScheduleManager> {
    const module = await boot(
      TypeOrmModule.forRoot(options(database.url)),
      CronStoreModule.forRoot({ schema, autoMigrate: true }),
    );
    return module.get(ScheduleManager);
  }

  it('starts with nothing but the default data source and its tables', async () => {
    await runMigrations(database, 'public');
    const module = await boot(TypeOrmModule.forRoot(options(database.url)), CronStoreModule.forRoot());

    expect(module.get(CronStoreEngine).status()).toMatchObject({ state: 'running', slots: 16, running: 0 });
    expect(await module.get(ScheduleManager).list()).toEqual([]);
  });

  it('takes its options from the configuration', async () => {
    const module = await boot(
      ConfigModule.forRoot({ ignoreEnvFile: true, load: [() => ({ cron: { schema: 'cron', slots: 3 } })] }),
      TypeOrmModule.forRoot(options(database.url)),
      CronStoreModule.forRootAsync({
        imports: [ConfigModule],
        inject: [ConfigService],
        useFactory: (config: ConfigService) => ({
          autoMigrate: true,
          schema: config.getOrThrow<string>('cron.schema'),
          maxConcurrent: config.getOrThrow<number>('cron.slots'),
        }),
      }),
    );

    expect(module.get(CronStoreEngine).status().slots).toBe(3);
    expect(await database.query('select * from cron.crn_schedule')).toEqual([]);
  });

  it('uses the named data source, also where the options come from a factory', async () => {
    const other = await createTestDatabase();
    const sources = [
      TypeOrmModule.forRoot(options(database.url)),
      TypeOrmModule.forRoot({ ...options(other.url), name: 'cron' }),
    ];
    await boot(...sources, CronStoreModule.forRoot({ dataSource: 'cron', autoMigrate: true }));
    await boot(...sources, CronStoreModule.forRootAsync({ dataSource: 'cron', useFactory: () => ({}) }));

    expect(await other.query('select * from crn_schedule')).toEqual([]);
    expect(await database.query(`select 1 from pg_tables where tablename like 'crn%'`)).toEqual([]);
    await Promise.all([...started].map((module) => module.close()));
    started.clear();
    await other.drop();
  });

  it.each([
    [{}, /There is no default TypeORM data source: import TypeOrmModule\.forRoot/],
    [{ dataSource: 'cron' }, /There is no TypeORM data source named "cron"/],
  ])('says what to import where the data source is missing: %j', async (given, sentence) => {
    const error = await rejectionOf(boot(CronStoreModule.forRoot(given)));

    expect(error).toBeInstanceOf(CronStoreOptionsError);
    expect(error).toMatchObject({ message: expect.stringMatching(sentence) });
  });

  it('refuses a data source that is not PostgreSQL', async () => {
    @Module({
      providers: [{ provide: getDataSourceToken(), useValue: { options: { type: 'mysql' } } }],
      exports: [getDataSourceToken()],
    })
    class OtherDatabase {}

    await expect(boot({ module: OtherDatabase, global: true }, CronStoreModule.forRoot())).rejects.toThrow(
      /needs a PostgreSQL data source, and this one is of type "mysql"/,
    );
  });

  it("works in any order of imports, and with its migrations in the host's run at start-up", async () => {
    const module = await boot(
      CronStoreModule.forRoot(),
      TypeOrmModule.forRoot({
        ...options(database.url),
        migrations: cronStoreMigrations(),
        migrationsRun: true,
      }),
    );

    expect(module.get(CronStoreEngine).status().state).toBe('running');
  });

  it('lets two stores in one database not see each other', async () => {
    const first = await managerIn('first');
    const second = await managerIn('Second "one"');
    await first.create({ name: 'same', jobName: 'job', trigger: every('1h') });
    await second.create({ name: 'same', jobName: 'job', trigger: every('2h') });
    await first.create({ name: 'only', jobName: 'job', trigger: every('1h') });
    await second.delete('same');

    expect((await first.list()).map((schedule) => schedule.name)).toEqual(['only', 'same']);
    expect(await second.list()).toEqual([]);
  });
});
