import { type DynamicModule, type FactoryProvider, Module, type Provider } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { type ConsoleExtras, withConsole } from './console/index.js';
import { CronStoreEngine, ENGINE_PROVIDERS } from './engine/index.js';
import { RunEventPublisher } from './events/index.js';
import { ExtensionsExplorer, JOB_REGISTRY, JobHandlerExplorer, JobHandlerRegistry } from './jobs/index.js';
import { MANAGER_PROVIDERS, SCHEDULE_MANAGER, ScheduleManager } from './manager/index.js';
import { withManagement, type ManagementExtras } from './management/index.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  CRON_STORE_DATA_SOURCE,
  CRON_STORE_OPTIONS,
  type OPTIONS_TYPE,
  type ResolvedOptions,
} from './options/index.js';
import { messageOf } from './error-reading.js';
import { codeFacts, StoreLogger } from './store-logger.js';
import { DEFAULT_STORE_NAME } from './store-name.js';
import { type StoreParts, storePartsToken } from './store-parts.js';
import { Stores } from './stores.js';
import {
  getCronStoreEngineToken,
  getJobHandlerRegistryToken,
  getScheduleManagerToken,
} from './store-tokens.js';
import { CRON_STORE_STORAGE, PostgresClock, Storage, StoreClock } from './storage/index.js';

/**
 * Durable schedules on the application's PostgreSQL.
 *
 * Import it once for each store, with `forRoot(options)` or `forRootAsync(…)`, beside `TypeOrmModule.forRoot(…)`. It
 * exports `ScheduleManager`, `JobHandlerRegistry` and `CronStoreEngine`, to every module unless `isGlobal: false`; a store
 * with a `name` exports them under its own tokens, such as `getScheduleManagerToken(name)`.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    Stores,
    JobHandlerExplorer,
    ExtensionsExplorer,
    RunEventPublisher,
    ...MANAGER_PROVIDERS,
    ...ENGINE_PROVIDERS,
    { provide: StoreClock, useClass: PostgresClock },
    {
      provide: CRON_STORE_STORAGE,
      useFactory: createStorage,
      inject: [CRON_STORE_OPTIONS, CRON_STORE_DATA_SOURCE, StoreClock],
    },
  ],
})
export class CronStoreModule extends ConfigurableModuleClass {
  /** Imports the store with options known now; every one has a default. */
  static override forRoot(
    options: typeof OPTIONS_TYPE & ManagementExtras & ConsoleExtras = {},
  ): DynamicModule {
    const { management, console, ...storeOptions } = options;
    const managed = withManagement(withFacade(super.forRoot(storeOptions), options.name), management);
    return withConsole(managed, { management, console });
  }

  /** Imports the store with options that a factory makes; what shapes the module is given beside the factory. */
  static override forRootAsync(
    options: typeof ASYNC_OPTIONS_TYPE & ManagementExtras & ConsoleExtras,
  ): DynamicModule {
    const { management, console, ...storeOptions } = options;
    const managed = withManagement(withFacade(super.forRootAsync(storeOptions), options.name), management);
    return withConsole(managed, { management, console });
  }
}

/**
 * Adds what the application may inject, under the store's own tokens: classes that two stores shared would not tell them
 * apart. Within the module they are known by tokens that are the same in each.
 */
function withFacade(module: DynamicModule, name = DEFAULT_STORE_NAME): DynamicModule {
  const manager = getScheduleManagerToken(name);
  const registry = getJobHandlerRegistryToken(name);
  const engine = getCronStoreEngineToken(name);
  const facade: readonly Provider[] = [
    { provide: manager, useClass: ScheduleManager },
    { provide: SCHEDULE_MANAGER, useExisting: manager },
    { provide: registry, useClass: JobHandlerRegistry },
    { provide: JOB_REGISTRY, useExisting: registry },
    { provide: engine, useClass: CronStoreEngine },
    partsProvider(name),
  ];
  return {
    ...module,
    providers: [...(module.providers ?? []), ...facade],
    exports: [...(module.exports ?? []), manager, registry, engine],
  };
}

/** Not exported: the package's own entry points find it wherever it is. */
function partsProvider(name: string): FactoryProvider<StoreParts> {
  return {
    provide: storePartsToken(name),
    useFactory: (
      options: ResolvedOptions,
      storage: Storage | undefined,
      engine: CronStoreEngine,
      registry: JobHandlerRegistry,
      events: RunEventPublisher,
      clock: StoreClock,
    ) => ({ options, storage, engine, registry, events, clock }),
    inject: [
      CRON_STORE_OPTIONS,
      CRON_STORE_STORAGE,
      getCronStoreEngineToken(name),
      JOB_REGISTRY,
      RunEventPublisher,
      StoreClock,
    ],
  };
}

async function createStorage(
  options: ResolvedOptions,
  dataSource: DataSource | undefined,
  clock: StoreClock,
): Promise<Storage | undefined> {
  if (!options.enabled || dataSource === undefined) {
    return undefined;
  }
  const logger = new StoreLogger();
  const ownClock = (await clock.forStore?.(dataSource, options.schema)) ?? clock;
  return new Storage({
    dataSource,
    schema: options.schema,
    environment: options.environment,
    clock: ownClock,
    listen: options.listen,
    onConnectionError: (error) =>
      logger.warn(`An idle connection of the store was lost: ${messageOf(error)}`, codeFacts(error)),
  });
}
