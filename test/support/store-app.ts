import { type INestApplicationContext, type ModuleMetadata, type Provider } from '@nestjs/common';
import { EventEmitter2, EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { CronStoreEngine, CronStoreModule, type CronStoreOptions, ScheduleManager } from '../../lib/index.js';
import { StoreClock } from '../../lib/storage/index.js';
import { CAN_LISTEN, options as dataSourceOptions } from './database.js';

/** A Nest application with the store, started: one node. */
export interface StoreApp {
  readonly app: INestApplicationContext;
  readonly manager: ScheduleManager;
  readonly engine: CronStoreEngine;
  readonly dataSource: DataSource;
  readonly events: EventEmitter2;
  close(): Promise<void>;
}

export interface StoreAppOptions {
  readonly url: string;
  readonly store?: CronStoreOptions;
  /** Job handlers and whatever else the application provides. */
  readonly providers?: Provider[];
  readonly imports?: ModuleMetadata['imports'];
  /** The store's clock, where a test moves it. */
  readonly clock?: StoreClock;
}

/**
 * Options under which a test need not wait long for anything, but for a dead node. Where `abandonedAfter` is shorter than
 * the answer to the commit of a claim takes, a node abandons its own runs: a test of abandonment chooses it.
 */
export const QUICK: CronStoreOptions = {
  autoMigrate: true,
  listen: CAN_LISTEN,
  pollInterval: 250,
  heartbeatInterval: 100,
  abandonedAfter: '1m',
  abortGrace: 200,
  shutdownTimeout: '5s',
};

/** Starts an application on the database. */
export async function startStoreApp(given: StoreAppOptions): Promise<StoreApp> {
  const builder = Test.createTestingModule({
    imports: [
      TypeOrmModule.forRoot(dataSourceOptions(given.url)),
      EventEmitterModule.forRoot(),
      CronStoreModule.forRoot({ ...QUICK, ...given.store }),
      ...(given.imports ?? []),
    ],
    providers: given.providers ?? [],
  });
  if (given.clock !== undefined) {
    builder.overrideProvider(StoreClock).useValue(given.clock);
  }
  const module = await builder.compile();
  const app = await module.init();
  return {
    app,
    manager: app.get(ScheduleManager),
    engine: app.get(CronStoreEngine),
    dataSource: app.get<DataSource>(getDataSourceToken()),
    events: app.get(EventEmitter2),
    close: () => app.close(),
  };
}
