import { channel } from 'node:diagnostics_channel';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { NestFactory } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreEngine,
  CronStoreModule,
  every,
  JobHandler,
  RUN_SUCCEEDED_EVENT,
} from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';

const CYCLES = 4;

let executed = 0;

/** The classes of an application, anew, as a bundler makes them when it replaces modules. */
function applicationWith(...imports: readonly DynamicModule[]): Type {
  @JobHandler({ name: 'tick', defaultSchedule: { trigger: every('1s') } })
  class Tick implements JobHandler {
    execute(): void {
      executed += 1;
    }
  }
  @Module({ imports: [EventEmitterModule.forRoot(), ...imports], providers: [Tick] })
  class Application {}
  return Application;
}

describe('an application that is closed and started again in one process', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
    executed = 0;
  });

  afterEach(() => database.drop());

  async function connections(): Promise<number> {
    const rows = await database.query(
      `select 1 from pg_stat_activity where datname = current_database() and application_name = 'reloaded'`,
    );
    return rows.length;
  }

  /** Starts, fires, and closes. */
  async function live(application: Type): Promise<void> {
    const app = await NestFactory.createApplicationContext(application, {
      logger: false,
      abortOnError: false,
    });
    const before = executed;
    await untilTrue('it has fired', () => executed > before);
    expect(app.get(CronStoreEngine).status().state).toBe('running');
    expect(await database.query('select 1 from crn_node')).toHaveLength(1);
    await app.close();
  }

  it.each<[string, () => () => Type]>([
    [
      'with new classes each time',
      () => () => applicationWith(TypeOrmModule.forRoot(source()), CronStoreModule.forRoot(QUICK)),
    ],
    [
      'with the same classes and modules each time',
      () => {
        const application = applicationWith(TypeOrmModule.forRoot(source()), CronStoreModule.forRoot(QUICK));
        return () => application;
      },
    ],
  ])('leaves nothing behind, %s', async (_, prepare) => {
    const next = prepare();
    await live(next());
    await untilTrue('the first is gone', async () => (await connections()) === 0);
    const resources = held();
    for (let cycle = 1; cycle < CYCLES; cycle += 1) {
      await live(next());
      await untilTrue('every connection is closed', async () => (await connections()) === 0);
    }

    await untilTrue('no thread, timer or socket is left', () =>
      Object.entries(held()).every(([kind, count]) => count <= (resources[kind] ?? 0)),
    );
    expect(channel(RUN_SUCCEEDED_EVENT).hasSubscribers).toBe(false);
    expect(await database.query('select 1 from crn_node')).toEqual([]);
    // A slow machine may skip an occurrence that overlaps the last; what was fired has ended, and by itself.
    const unfinished = `select status from crn_run where status not in ('succeeded', 'skipped')`;
    expect(await database.query(unfinished)).toEqual([]);
  });

  function source() {
    return { ...options(database.url), applicationName: 'reloaded' };
  }
});

/** What keeps a process alive, by kind. */
function held(): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) {
    counts[kind] = (counts[kind] ?? 0) + 1;
  }
  return counts;
}
