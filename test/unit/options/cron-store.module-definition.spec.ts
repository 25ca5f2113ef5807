import {
  type DynamicModule,
  Inject,
  Injectable,
  Module,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { getDataSourceToken } from '@nestjs/typeorm';
import {
  CRON_STORE_DATA_SOURCE,
  CRON_STORE_OPTIONS,
  ConfigurableModuleClass,
  CronStoreOptionsError,
  type ASYNC_OPTIONS_TYPE,
  type ResolvedOptions,
} from '../../../lib/options/index.js';

@Module({ exports: [CRON_STORE_OPTIONS, CRON_STORE_DATA_SOURCE] })
class StoreModule extends ConfigurableModuleClass {}

@Injectable()
class Reader {
  constructor(
    @Inject(CRON_STORE_OPTIONS) readonly options: ResolvedOptions,
    @Inject(CRON_STORE_DATA_SOURCE) readonly dataSource: unknown,
  ) {}
}

@Module({ providers: [Reader] })
class FeatureModule {}

const PRIMARY = { name: 'stands for the default data source' };
const REPORTING = { name: 'stands for the data source "reporting"' };

/** The host's data sources, global as TypeOrmModule makes them. */
function hostModule(): ModuleMetadata['imports'] {
  const providers: Provider[] = [
    { provide: getDataSourceToken(), useValue: PRIMARY },
    { provide: getDataSourceToken('reporting'), useValue: REPORTING },
  ];
  class HostModule {}
  return [{ module: HostModule, global: true, providers, exports: providers }];
}

async function read(
  store: NonNullable<ModuleMetadata['imports']>[number],
  host = hostModule(),
): Promise<Reader> {
  const app = await Test.createTestingModule({ imports: [...(host ?? []), store, FeatureModule] }).compile();
  return app.get(Reader, { strict: false });
}

const returnsReporting = { useFactory: () => ({ dataSource: 'reporting' }) };

describe('the module definition', () => {
  it('resolves the options of forRoot, for every module', async () => {
    const { options, dataSource } = await read(StoreModule.forRoot({ pollInterval: '1s' }));
    expect(options).toMatchObject({ pollInterval: 1_000, batchSize: 32, dataSource: 'default' });
    expect(dataSource).toBe(PRIMARY);
  });

  it('finds a named data source', async () => {
    const { options, dataSource } = await read(StoreModule.forRoot({ dataSource: 'reporting' }));
    expect(options.dataSource).toBe('reporting');
    expect(dataSource).toBe(REPORTING);
  });

  it('finds a data source that is named beside the factory', async () => {
    const given: typeof ASYNC_OPTIONS_TYPE = {
      dataSource: 'reporting',
      useFactory: () => Promise.resolve({ schema: 'jobs' }),
    };
    const { options, dataSource } = await read(StoreModule.forRootAsync(given));
    expect(options).toMatchObject({ schema: 'jobs', dataSource: 'reporting' });
    expect(dataSource).toBe(REPORTING);
  });

  it('lets a factory repeat the data source, and not contradict it', async () => {
    await expect(
      read(StoreModule.forRootAsync({ dataSource: 'reporting', ...returnsReporting })),
    ).resolves.toMatchObject({
      dataSource: REPORTING,
    });
    await expect(read(StoreModule.forRootAsync(returnsReporting))).rejects.toThrow(
      'The factory\'s options name the data source "reporting", which is too late to inject it: name it beside the factory, as in forRootAsync({ dataSource: "reporting", useFactory: … }).',
    );
  });

  it.each([null, undefined, 'options'])('refuses a factory that returns %p', async (returned) => {
    const given = { dataSource: 'reporting', useFactory: () => returned };
    const store: DynamicModule = Reflect.apply(StoreModule.forRootAsync, StoreModule, [given]);
    await expect(read(store)).rejects.toThrow('The options must be an object');
  });

  it.each(['', 5, null])('refuses %p for a data source name', async (dataSource) => {
    const store: DynamicModule = Reflect.apply(StoreModule.forRoot, StoreModule, [{ dataSource }]);
    await expect(read(store)).rejects.toThrow(/dataSource must be the name of a TypeORM/);
  });

  it('fails start-up with every fault of the options', async () => {
    const failure = read(StoreModule.forRoot({ batchSize: 0, maxConcurrent: 0 }));
    await expect(failure).rejects.toThrow(CronStoreOptionsError);
    await expect(failure).rejects.toThrow(/batchSize must be[^]*maxConcurrent must be/);
  });

  it('says what to import where the data source is missing', async () => {
    await expect(read(StoreModule.forRoot({}), [])).rejects.toThrow(
      'There is no default TypeORM data source: import TypeOrmModule.forRoot(…), or name another in the option dataSource.',
    );
    await expect(read(StoreModule.forRoot({ dataSource: 'billing' }))).rejects.toThrow(
      'There is no TypeORM data source named "billing"',
    );
  });

  it('needs no data source where the store is disabled', async () => {
    const { options, dataSource } = await read(StoreModule.forRoot({ enabled: false }), []);
    expect(options.enabled).toBe(false);
    expect(dataSource).toBeUndefined();
  });

  it('is visible only where it is imported with isGlobal: false', async () => {
    await expect(read(StoreModule.forRoot({ isGlobal: false }))).rejects.toThrow(
      /can't resolve dependencies/,
    );
  });
});
