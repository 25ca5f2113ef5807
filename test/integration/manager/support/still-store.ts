import { randomUUID } from 'node:crypto';
import type { OnModuleInit, Provider } from '@nestjs/common';
import { Injectable } from '@nestjs/common';
import { type CronStoreOptions, JobHandlerRegistry, type ScheduleManager } from '../../../../lib/index.js';
import { StoreClock } from '../../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase } from '../../../support/database.js';
import { startStoreApp, type StoreApp } from '../../../support/store-app.js';

/** Noon of a Thursday, where every test begins. */
export const NOON = Date.UTC(2026, 0, 15, 12);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/** The store's clock as a table that a test writes to: time stands still until it is moved. */
class TableClock extends StoreClock {
  readonly nowSql = '(select now_unix_ms from public.test_clock)';
}

/** Registers the jobs `job` and `other`, which do nothing. */
@Injectable()
class Jobs implements OnModuleInit {
  constructor(private readonly registry: JobHandlerRegistry) {}

  onModuleInit(): void {
    for (const name of ['job', 'other']) {
      this.registry.register({ name, execute: () => undefined });
    }
  }
}

/** A store whose time stands still, and whose engine claims nothing: whatever changes, the manager changed. */
export interface StillStore {
  readonly database: TestDatabase;
  readonly node: StoreApp;
  readonly manager: ScheduleManager;
  /** Moves the store's clock to an instant. */
  setNow(unixMs: number): Promise<void>;
  /** Every row of every table, to compare before and after. */
  contents(): Promise<unknown>;
  /** A name that no other test uses. */
  freshName(): string;
  close(): Promise<void>;
}

export async function startStillStore(
  given: { readonly store?: CronStoreOptions; readonly providers?: Provider[] } = {},
): Promise<StillStore> {
  const database = await createTestDatabase();
  await database.query('create table public.test_clock (now_unix_ms bigint not null)');
  await database.query('insert into public.test_clock values ($1)', [NOON]);
  const node = await startStoreApp({
    url: database.url,
    store: { misfireThreshold: '1m', ...given.store },
    providers: [Jobs, ...(given.providers ?? [])],
    clock: new TableClock(),
  });
  await node.engine.drain();
  return {
    database,
    node,
    manager: node.manager,
    async setNow(unixMs) {
      await database.query('update public.test_clock set now_unix_ms = $1', [unixMs]);
    },
    contents: () => contentsOf(database),
    freshName: () => `schedule-${randomUUID()}`,
    async close() {
      await node.close();
      await database.drop();
    },
  };
}

async function contentsOf(database: TestDatabase): Promise<unknown> {
  const tables = ['crn_schedule', 'crn_schedule_name', 'crn_fire_request', 'crn_run'];
  return Promise.all(
    tables.map((table) => database.query(`select t::text as row from public.${table} t order by 1`)),
  );
}

/** What a promise is rejected with. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise;
  } catch (error) {
    return error;
  }
  throw new Error('It was not rejected.');
}
