import { ConfigurableModuleBuilder, type DynamicModule, type FactoryProvider } from '@nestjs/common';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { DEFAULT_STORE_NAME, STORE_NAME } from '../store-name.js';
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
  /** Name of the store, where the application has several. Default: the unnamed store. */
  readonly name?: string | undefined;
  /** Name of the TypeORM data source. Default: the default data source. */
  readonly dataSource?: string | undefined;
  /**
   * Whether every module of the application can inject what this one exports, without importing it. Default true:
   * a store is configured once at the root, and schedules are managed from anywhere.
   */
  readonly isGlobal?: boolean | undefined;
}

/** The checked options, for injection as `CRON_STORE_OPTIONS`. Their faults fail start-up. */
export const resolvedOptionsProvider: FactoryProvider<ResolvedOptions> = {
  provide: CRON_STORE_OPTIONS,
  useFactory: (given: CronStoreOptions, dataSource: string | undefined, name: string) =>
    resolveOptions(withStructural(withStructural(given, 'dataSource', dataSource), 'name', name)),
  inject: [CRON_STORE_RAW_OPTIONS, CRON_STORE_DATA_SOURCE_NAME, STORE_NAME],
};

export const { ConfigurableModuleClass, OPTIONS_TYPE, ASYNC_OPTIONS_TYPE } =
  new ConfigurableModuleBuilder<CronStoreOptions>({ optionsInjectionToken: CRON_STORE_RAW_OPTIONS })
    .setClassMethodName('forRoot')
    .setExtras<CronStoreModuleExtras>({ isGlobal: true, name: undefined }, withExtras)
    .build();

function withExtras(definition: DynamicModule, extras: CronStoreModuleExtras): DynamicModule {
  const { name = DEFAULT_STORE_NAME, dataSource, isGlobal = true } = extras;
  return {
    ...definition,
    global: isGlobal,
    providers: [
      ...(definition.providers ?? []),
      { provide: STORE_NAME, useValue: name },
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

/** The options together with what was given to the module itself, which a factory may repeat and not contradict. */
function withStructural(
  given: CronStoreOptions,
  option: 'dataSource' | 'name',
  structural: string | undefined,
): CronStoreOptions {
  if (typeof given !== 'object' || given === null) {
    return given;
  }
  const { [option]: fromFactory = structural } = given;
  if ((fromFactory ?? 'default') !== (structural ?? 'default')) {
    throw new CronStoreOptionsError([CONTRADICTIONS[option](JSON.stringify(fromFactory))]);
  }
  return structural === undefined ? given : { ...given, [option]: structural };
}

const CONTRADICTIONS = {
  dataSource: (name: string) =>
    `The factory's options name the data source ${name}, which is too late to inject it: name it beside the factory, as in forRootAsync({ dataSource: ${name}, useFactory: … }).`,
  name: (name: string) =>
    `The factory's options name the store ${name}, which is too late for its tokens: name it beside the factory, as in forRootAsync({ name: ${name}, useFactory: … }).`,
};
