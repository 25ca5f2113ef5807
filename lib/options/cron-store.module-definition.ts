import { ConfigurableModuleBuilder, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { CronStoreOptionsError } from './cron-store-options.error.js';
import type { CronStoreOptions, ResolvedOptions } from './cron-store.options.js';
import {
  CRON_STORE_DATA_SOURCE,
  CRON_STORE_DATA_SOURCE_NAME,
  CRON_STORE_OPTIONS,
  CRON_STORE_RAW_OPTIONS,
} from './options.tokens.js';
import { resolveOptions } from './resolve-options.js';

/** What is given beside `useFactory`, because it shapes the module before any factory has run. */
export interface CronStoreModuleExtras {
  /** Name of the TypeORM data source. Default: the default data source. */
  readonly dataSource?: string | undefined;
  /**
   * Whether every module of the application can inject what this one exports, without importing it. Default true:
   * there is one store, configured once at the root, and schedules are managed from anywhere.
   */
  readonly isGlobal?: boolean | undefined;
}

/** The checked options, for injection as `CRON_STORE_OPTIONS`. Their faults fail start-up. */
export const resolvedOptionsProvider: FactoryProvider<ResolvedOptions> = {
  provide: CRON_STORE_OPTIONS,
  useFactory: (given: CronStoreOptions, structuralName: string | undefined) =>
    resolveOptions(withStructuralDataSource(given, structuralName)),
  inject: [CRON_STORE_RAW_OPTIONS, CRON_STORE_DATA_SOURCE_NAME],
};

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<CronStoreOptions>({ optionsInjectionToken: CRON_STORE_RAW_OPTIONS })
    .setClassMethodName('forRoot')
    .setExtras<CronStoreModuleExtras>({ isGlobal: true }, withExtras)
    .build();

function withExtras(definition: DynamicModule, extras: CronStoreModuleExtras): DynamicModule {
  const { dataSource, isGlobal = true } = extras;
  return {
    ...definition,
    global: isGlobal,
    providers: [
      ...(definition.providers ?? []),
      { provide: CRON_STORE_DATA_SOURCE_NAME, useValue: dataSource },
      resolvedOptionsProvider,
      dataSourceProvider(dataSource),
    ],
  };
}

/**
 * The host's data source, looked up by the structural name. Optional for the injector, so that its absence is told in
 * our own words, and only where the store is enabled.
 */
function dataSourceProvider(name: string | undefined): FactoryProvider<DataSource | undefined> {
  return {
    provide: CRON_STORE_DATA_SOURCE,
    useFactory: (options: ResolvedOptions, dataSource: DataSource | undefined) => {
      if (options.enabled && dataSource === undefined) {
        throw new CronStoreOptionsError([missingDataSource(options.dataSource)]);
      }
      return dataSource;
    },
    inject: [CRON_STORE_OPTIONS, { token: getDataSourceToken(name || undefined), optional: true }],
  };
}

function missingDataSource(name: string): string {
  return name === 'default'
    ? 'There is no default TypeORM data source: import TypeOrmModule.forRoot(…), or name another in the option dataSource.'
    : `There is no TypeORM data source named ${JSON.stringify(name)}: import TypeOrmModule.forRoot({ name: ${JSON.stringify(name)}, … }), or change the option dataSource.`;
}

/** The options together with the structural name, which a factory may repeat and not contradict. */
function withStructuralDataSource(
  given: CronStoreOptions,
  structuralName: string | undefined,
): CronStoreOptions {
  if (typeof given !== 'object' || given === null) {
    return given;
  }
  const { dataSource = structuralName } = given;
  if ((dataSource ?? 'default') !== (structuralName ?? 'default')) {
    throw new CronStoreOptionsError([contradictedDataSource(dataSource)]);
  }
  return structuralName === undefined ? given : { ...given, dataSource: structuralName };
}

function contradictedDataSource(name: unknown): string {
  return `The factory's options name the data source ${JSON.stringify(name)}, which is too late to inject it: name it beside the factory, as in forRootAsync({ dataSource: ${JSON.stringify(name)}, useFactory: … }).`;
}
