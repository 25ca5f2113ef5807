import { type DynamicModule, Injectable, Module, type ModuleMetadata, type Provider } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { TerminusModule } from '@nestjs/terminus';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule, type TypeOrmModuleOptions } from '@nestjs/typeorm';
import { CronStoreHealth } from '../../../lib/health/index.js';
import { CronStoreHealthIndicator } from '../../../lib/health/terminus.js';
import {
  type Claim,
  ClaimObserver,
  CronStoreEngine,
  CronStoreModule,
  type CronStoreOptions,
  every,
  type Execution,
  getCronStoreEngineToken,
  getJobHandlerRegistryToken,
  getScheduleManagerToken,
  InjectCronStoreEngine,
  InjectJobHandlerRegistry,
  InjectScheduleManager,
  JobHandler,
  JobHandlerRegistry,
  RUN_FAILED_EVENT,
  RUN_SUCCEEDED_EVENT,
  type RunEvent,
  RunInterceptor,
  ScheduleManager,
  StoreSchemaError,
} from '../../../lib/index.js';
import { CronStoreTester, ManualStoreClock, StoreClock } from '../../../lib/testing/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER } from '../engine/support/runs.js';
import { rejectionOf } from '../manager/support/still-store.js';

const executed: Execution[] = [];

@JobHandler({ name: 'work', defaultSchedule: { name: 'own', trigger: every('24h') } })
class Work implements JobHandler {
  execute(execution: Execution): void {
    executed.push(execution);
  }
}

/** A job of the same name in another store is another job. */
@JobHandler({ name: 'work', store: 'billing', defaultSchedule: { name: 'invoices', trigger: every('24h') } })
class SendInvoices implements JobHandler {
  execute(execution: Execution): void {
    executed.push(execution);
    throw new Error('no paper');
  }

  @JobHandler({ name: 'remind', store: 'billing' })
  remind(): void {}
}

const seen: string[] = [];

@Injectable()
class Everywhere extends RunInterceptor {
  override async intercept(
    { store, scheduleName }: Execution,
    next: () => Promise<unknown>,
  ): Promise<unknown> {
    seen.push(`everywhere: ${store} ${scheduleName}`);
    return next();
  }
}

@Injectable()
class OfBilling extends RunInterceptor {
  override readonly stores = ['billing'];

  override async intercept({ scheduleName }: Execution, next: () => Promise<unknown>): Promise<unknown> {
    seen.push(`of billing: ${scheduleName}`);
    return next();
  }
}

@Injectable()
class Claims extends ClaimObserver {
  override readonly stores = ['default'];
  readonly told: Claim[] = [];

  override afterClaim(claim: Claim): void {
    this.told.push(claim);
  }
}

@Injectable()
class Office {
  @InjectScheduleManager('billing') readonly fromProperty!: ScheduleManager;

  constructor(
    readonly schedules: ScheduleManager,
    @InjectScheduleManager('billing') readonly invoices: ScheduleManager,
    @InjectScheduleManager() readonly unnamed: ScheduleManager,
    @InjectJobHandlerRegistry('billing') readonly invoiceJobs: JobHandlerRegistry,
    @InjectCronStoreEngine('billing') readonly invoiceEngine: CronStoreEngine,
  ) {}
}

function billing(given: CronStoreOptions = {}): DynamicModule {
  return CronStoreModule.forRoot({
    ...QUICK,
    name: 'billing',
    dataSource: 'billing',
    schema: 'billing',
    management: { path: 'billing/api' },
    ...given,
  });
}

function enginesOf(module: TestingModule): readonly CronStoreEngine[] {
  return [module.get(CronStoreEngine), module.get<CronStoreEngine>(getCronStoreEngineToken('billing'))];
}

describe('two stores in one application', () => {
  let database: TestDatabase;
  let other: TestDatabase;
  const started = new Set<TestingModule>();

  beforeEach(async () => {
    [database, other] = await Promise.all([createTestDatabase(), createTestDatabase()]);
    executed.length = 0;
    seen.length = 0;
  });

  afterEach(async () => {
    await Promise.all([...started].map((module) => module.close()));
    started.clear();
    await Promise.all([database.drop(), other.drop()]);
  });

  async function compile(
    stores: NonNullable<ModuleMetadata['imports']>,
    providers: Provider[] = [],
    clock?: StoreClock,
    dataSources: Pick<TypeOrmModuleOptions, 'manualInitialization'> = {},
  ): Promise<TestingModule> {
    const builder = Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({ ...options(database.url), ...dataSources }),
        TypeOrmModule.forRoot({ ...options(other.url), ...dataSources, name: 'billing' }),
        EventEmitterModule.forRoot(),
        TerminusModule,
        ...stores,
      ],
      providers: [CronStoreHealth, CronStoreHealthIndicator, ...providers],
    });
    if (clock !== undefined) {
      builder.overrideProvider(StoreClock).useValue(clock);
    }
    const module = await builder.compile();
    module.useLogger(false);
    return module;
  }

  async function boot(...given: Parameters<typeof compile>): Promise<TestingModule> {
    const module = await compile(...given);
    started.add(module);
    await module.init();
    return module;
  }

  it.each([
    ['first', () => [CronStoreModule.forRoot(QUICK), billing()]],
    ['last', () => [billing(), CronStoreModule.forRoot(QUICK)]],
  ])('are told apart by their tokens, the unnamed one being imported %s', async (_, stores) => {
    const module = await boot(stores(), [Work, SendInvoices, Office]);
    const office = module.get(Office);

    expect(office.schedules).toBe(module.get(ScheduleManager));
    expect(office.unnamed).toBe(office.schedules);
    expect(office.invoices).toBe(module.get(getScheduleManagerToken('billing')));
    expect(office.fromProperty).toBe(office.invoices);
    expect(office.invoices).not.toBe(office.schedules);
    expect(office.invoiceJobs).toBe(module.get(getJobHandlerRegistryToken('billing')));
    expect(office.invoiceEngine).toBe(module.get(getCronStoreEngineToken('billing')));
    expect(getScheduleManagerToken('default')).toBe(ScheduleManager);
    expect(module.get(JobHandlerRegistry).names()).toEqual(['work']);
    expect(office.invoiceJobs.names()).toEqual(['remind', 'work']);
    expect((await office.schedules.list()).map(({ name }) => name)).toEqual(['own']);
    expect((await office.invoices.list()).map(({ name }) => name)).toEqual(['invoices']);
    expect(await database.query('select name from public.crn_schedule')).toEqual([{ name: 'own' }]);
    expect(await other.query('select name from billing.crn_schedule')).toEqual([{ name: 'invoices' }]);
    expect(module.get(CronStoreEngine).status().nodeId).not.toBe(office.invoiceEngine.status().nodeId);
  });

  it('each fire their own, and everything that is told says of which', async () => {
    const module = await boot(
      [CronStoreModule.forRoot(QUICK), billing()],
      [Work, SendInvoices, Everywhere, OfBilling, Claims],
    );
    const events: string[] = [];
    for (const name of [RUN_SUCCEEDED_EVENT, RUN_FAILED_EVENT]) {
      module
        .get(EventEmitter2)
        .on(name, ({ store, scheduleName }: RunEvent) => events.push(`${store} ${scheduleName}`));
    }
    await module.get(ScheduleManager).triggerNow('own');
    await module.get<ScheduleManager>(getScheduleManagerToken('billing')).triggerNow('invoices');
    await untilTrue('both are told', () => events.length === 2);

    expect(events.toSorted()).toEqual(['billing invoices', 'default own']);
    expect(executed.map(({ store, scheduleName }) => `${store} ${scheduleName}`).toSorted()).toEqual([
      'billing invoices',
      'default own',
    ]);
    expect(seen.toSorted()).toEqual([
      'everywhere: billing invoices',
      'everywhere: default own',
      'of billing: invoices',
    ]);
    expect(module.get(Claims).told).toMatchObject([{ store: 'default', scheduleName: 'own' }]);
  });

  it('are tested and checked by their names, and one clock moves both', async () => {
    const clock = new ManualStoreClock(new Date('2030-01-01T00:00:00Z'));
    const module = await boot([CronStoreModule.forRoot(QUICK), billing()], [Work, SendInvoices], clock);
    const tester = await CronStoreTester.on(module, 'billing');
    const unnamed = await CronStoreTester.on(module);

    expect(await tester.fireAndWait('invoices')).toMatchObject({ status: 'failed', error: 'no paper' });
    expect(await unnamed.fireAndWait('own')).toMatchObject({ status: 'succeeded' });
    expect((await tester.runFor('25h')).map(({ scheduleName }) => scheduleName)).toEqual(['invoices']);
    expect((await unnamed.drain()).map(({ scheduleName }) => scheduleName)).toEqual(['own']);
    await expect(CronStoreTester.on(module, 'biling')).rejects.toThrow(
      'The application has no store "biling", only the store "billing" and the unnamed store: give the name of one of them.',
    );

    const health = module.get(CronStoreHealth);
    expect(await health.check({ store: 'billing', timeout: '30s' })).toMatchObject({
      status: 'up',
      nodeId: module.get<CronStoreEngine>(getCronStoreEngineToken('billing')).status().nodeId,
    });
    expect(await health.check()).toMatchObject({ nodeId: module.get(CronStoreEngine).status().nodeId });
    expect(
      await module.get(CronStoreHealthIndicator).isHealthy('invoices', { store: 'billing', timeout: '30s' }),
    ).toMatchObject({ invoices: { status: 'up' } });
    await expect(health.check({ store: 'biling' })).rejects.toThrow('has no store "biling", only');
  });

  it('come from factories too, and may share a schema: two nodes of one store', async () => {
    const module = await boot(
      [
        CronStoreModule.forRootAsync({ name: 'light', management: false, useFactory: () => QUICK }),
        CronStoreModule.forRootAsync({
          name: 'heavy',
          management: false,
          useFactory: () => ({ ...QUICK, name: 'heavy', maxConcurrent: 1 }),
        }),
      ],
      [],
    );
    const light = module.get<ScheduleManager>(getScheduleManagerToken('light'));
    const jobs = module.get<JobHandlerRegistry>(getJobHandlerRegistryToken('heavy'));
    jobs.register({ name: 'press', execute: (execution) => executed.push(execution) });
    await module.get<CronStoreEngine>(getCronStoreEngineToken('heavy')).discoverHandlers();

    expect(await light.listNodes()).toHaveLength(2);
    expect(await light.listJobs()).toEqual(['press']);
    await light.create({ name: 'pressed', jobName: 'press', trigger: NEVER });
    await light.triggerNow('pressed');
    await untilTrue('it is executed', () => executed.length === 1);
    expect(executed[0]?.store).toBe('heavy');
    expect(() => module.get(ScheduleManager)).toThrow();
  });

  it('drain together, so that one bound holds for all', async () => {
    const gated = new GatedJob('gated');
    const alike = job({ name: 'gated', store: 'billing' }, () => gated.gate.pass());
    // Longer than the test: one that waited for the other would wait in vain.
    const patient = { ...QUICK, shutdownTimeout: '24h' };
    const module = await boot(
      [CronStoreModule.forRoot(patient), billing({ shutdownTimeout: '24h' })],
      [gated.provider, alike],
    );
    const engines = enginesOf(module);
    for (const token of [ScheduleManager, getScheduleManagerToken('billing')]) {
      const schedules = module.get<ScheduleManager>(token);
      await schedules.create({ name: 'held', jobName: 'gated', trigger: NEVER });
      await schedules.triggerNow('held');
    }
    await untilTrue('both execute', () => engines.every((engine) => engine.status().running === 1));
    const closed = module.close();
    const bothDrain = () => engines.every((engine) => engine.status().state === 'stopping');
    await untilTrue('both drain', bothDrain).finally(() => gated.gate.open());
    await closed;
    started.delete(module);

    expect(engines.map((engine) => engine.status().state)).toEqual(['stopped', 'stopped']);
  });

  it.each([
    ['billing', () => [CronStoreModule.forRoot(QUICK), billing({ autoMigrate: false })], 0],
    ['the unnamed one', () => [CronStoreModule.forRoot({ ...QUICK, autoMigrate: false }), billing()], 1],
  ])('are all stopped where %s cannot start', async (_, stores, healthy) => {
    const module = await compile(stores());
    expect(await rejectionOf(module.init())).toBeInstanceOf(StoreSchemaError);

    expect(enginesOf(module)[healthy]?.status().state).toBe('stopped');
    await module.close();
  });

  it('may be imported in several places, as one and the same', async () => {
    const store = billing();
    @Module({ imports: [store] })
    class Invoices {}
    const module = await boot([store, Invoices]);

    expect(module.get<CronStoreEngine>(getCronStoreEngineToken('billing')).status().state).toBe('running');
    expect(await other.query('select 1 from billing.crn_node')).toHaveLength(1);
  });

  it.each<[string, () => DynamicModule[], Provider[], RegExp]>([
    [
      'the same name',
      () => [billing(), billing({ schema: 'second' })],
      [],
      /CronStoreModule is imported twice with the name "billing": give each store a name of its own/,
    ],
    [
      'no name',
      () => [
        CronStoreModule.forRoot(QUICK),
        CronStoreModule.forRoot({ ...QUICK, name: 'default', schema: 'b' }),
      ],
      [],
      /CronStoreModule is imported twice without a name: import it once, name one of the two/,
    ],
    [
      'the same path',
      () => [CronStoreModule.forRoot(QUICK), CronStoreModule.forRoot({ ...QUICK, name: 'b', schema: 'b' })],
      [],
      /Two stores have their management API at the path "api": give one of them another management\.path/,
    ],
    [
      'the same path of their consoles',
      () => [
        CronStoreModule.forRoot({ ...QUICK, console: true }),
        CronStoreModule.forRoot({ ...QUICK, name: 'b', management: { path: 'b' }, console: true }),
      ],
      [],
      /Two stores have their console at the path "cron": give one of them another console\.path/,
    ],
    [
      'not the one that a handler belongs to',
      () => [CronStoreModule.forRoot(QUICK)],
      [SendInvoices],
      /The job handler SendInvoices .* belongs to no store: the application has no store "billing", only the unnamed store\. Correct the option store/,
    ],
    [
      'none for a handler that names none',
      () => [billing()],
      [Work],
      /The job handler Work .* belongs to no store: the application has no unnamed store, only the store "billing"\. Give @JobHandler the option store, as in `store: 'billing'`\.$/,
    ],
    [
      'not the one that an interceptor serves',
      () => [CronStoreModule.forRoot(QUICK)],
      [OfBilling],
      /The RunInterceptor OfBilling serves a store in vain: the application has no store "billing"/,
    ],
    [
      'a name of other characters',
      () => [CronStoreModule.forRoot({ ...QUICK, name: 'a b' })],
      [],
      /name must be the name of the store, 1 to 63 letters, digits, '-', '_' or '\.', but is 'a b'\./,
    ],
    [
      'a name from a factory',
      () => [CronStoreModule.forRootAsync({ useFactory: () => ({ ...QUICK, name: 'late' }) })],
      [],
      /The factory's options name the store "late", which is too late for its tokens: name it beside the factory/,
    ],
  ])('do not start with %s', async (_, stores, providers, sentence) => {
    // Nobody closes what an application connects to whose modules cannot be made.
    const dataSources = { manualInitialization: true };
    expect(await rejectionOf(boot(stores(), providers, undefined, dataSources))).toMatchObject({
      message: expect.stringMatching(sentence),
    });
  });
});
