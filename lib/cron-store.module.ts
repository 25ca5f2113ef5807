import { type DynamicModule, Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { type ConsoleExtras, withConsole } from './console/index.js';
import { CronStoreEngine } from './engine/index.js';
import { RunEventPublisher } from './events/index.js';
import { ExtensionsExplorer, JobHandlerExplorer, JobHandlerRegistry } from './jobs/index.js';
import { MANAGER_PROVIDERS, ScheduleManager } from './manager/index.js';
import { withManagement, type ManagementExtras } from './management/index.js';
import {
  type ASYNC_OPTIONS_TYPE,
  ConfigurableModuleClass,
  CRON_STORE_DATA_SOURCE,
  CRON_STORE_OPTIONS,
  type OPTIONS_TYPE,
  type ResolvedOptions,
} from './options/index.js';
import { codeFacts, messageOf, StoreLogger } from './store-logger.js';
import { CRON_STORE_STORAGE, PostgresClock, Storage, StoreClock } from './storage/index.js';

/**
 * Durable schedules on the application's PostgreSQL.
 *
 * Import it once, with `forRoot(options)` or `forRootAsync(…)`, beside `TypeOrmModule.forRoot(…)`. It exports
 * `ScheduleManager`, `JobHandlerRegistry` and `CronStoreEngine`, to every module unless `isGlobal: false`.
 */
@Module({
  imports: [DiscoveryModule],
  providers: [
    JobHandlerRegistry,
    JobHandlerExplorer,
    ExtensionsExplorer,
    RunEventPublisher,
    ...MANAGER_PROVIDERS,
    CronStoreEngine,
    { provide: StoreClock, useClass: PostgresClock },
    {
      provide: CRON_STORE_STORAGE,
      useFactory: createStorage,
      inject: [CRON_STORE_OPTIONS, CRON_STORE_DATA_SOURCE, StoreClock],
    },
  ],
  // The last two for the package's own entry points: nobody else can name them.
  exports: [ScheduleManager, JobHandlerRegistry, CronStoreEngine, CRON_STORE_OPTIONS, CRON_STORE_STORAGE],
})
export class CronStoreModule extends ConfigurableModuleClass {
  /** Imports the store with options known now; every one has a default. */
  static override forRoot(
    options: typeof OPTIONS_TYPE & ManagementExtras & ConsoleExtras = {},
  ): DynamicModule {
    const { management, console, ...storeOptions } = options;
    const managed = withManagement(super.forRoot(storeOptions), management);
    return withConsole(managed, { management, console });
  }

  /** Imports the store with options that a factory makes; what shapes the module is given beside the factory. */
  static override forRootAsync(
    options: typeof ASYNC_OPTIONS_TYPE & ManagementExtras & ConsoleExtras,
  ): DynamicModule {
    const { management, console, ...storeOptions } = options;
    const managed = withManagement(super.forRootAsync(storeOptions), management);
    return withConsole(managed, { management, console });
  }
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
  await clock.prepare?.(dataSource, options.schema);
  return new Storage({
    dataSource,
    schema: options.schema,
    environment: options.environment,
    clock,
    listen: options.listen,
    onConnectionError: (error) =>
      logger.warn(`An idle connection of the store was lost: ${messageOf(error)}`, codeFacts(error)),
  });
}
