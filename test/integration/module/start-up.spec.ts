import { randomUUID } from 'node:crypto';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreEngine,
  CronStoreModule,
  type CronStoreOptions,
  StoreSchemaError,
} from '../../../lib/index.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { rejectionOf } from '../manager/support/still-store.js';

/** Longer than any test: whatever is waited for in vain does not end. */
const FOR_EVER: CronStoreOptions = { autoMigrate: true, startupTimeout: '24h' };

describe('a start-up', () => {
  let database: TestDatabase;
  let way: DatabaseProxy;
  let warnings: string[];

  beforeEach(async () => {
    database = await createTestDatabase();
    way = await DatabaseProxy.open(database.url);
    warnings = [];
  });

  afterEach(async () => {
    await way.close();
    await database.drop();
  });

  /** An application whose data source is not connected: the store is the first that needs the database. */
  async function compile(store: CronStoreOptions, url = way.url): Promise<TestingModule> {
    return Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({ ...options(url), manualInitialization: true }),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(store),
      ],
    })
      .setLogger({ log: () => undefined, error: () => undefined, warn: noteWarning })
      .compile();
  }

  function noteWarning(line: unknown, ...more: readonly unknown[]): void {
    if (more.at(-1) === 'CronStore') {
      warnings.push(String(line));
    }
  }

  async function untilItWaits(): Promise<void> {
    await untilTrue('the start-up waits', () =>
      warnings.some((line) => line.startsWith('The database cannot be reached, the start-up waits')),
    );
  }

  it.each([
    ['node', FOR_EVER],
    ['process that only manages', { ...FOR_EVER, execute: false }],
  ])('of a %s waits for a database that comes up later', async (_, store) => {
    await way.refuse();
    const module = await compile(store);
    const started = module.init();
    await untilItWaits();
    await way.accept();
    await started;
    expect(await database.query('select from crn_schedule')).toEqual([]);
    expect(warnings).toHaveLength(1);
    expect(warnings.join()).not.toContain(new URL(way.url).username + '@');
    await module.close();
  });

  it('goes on when the database is lost in the middle', async () => {
    const module = await compile(FOR_EVER);
    const engine = module.get(CronStoreEngine);
    await engine.onModuleInit();
    await way.refuse();
    const started = module.init();
    await untilItWaits();
    expect(engine.status().state).toBe('starting');
    await way.accept();
    await started;
    expect(engine.status().state).toBe('running');
    await module.close();
  });

  it('fails at once where it is not to wait', async () => {
    await way.refuse();
    const module = await compile({ ...FOR_EVER, startupTimeout: 0 });
    expect(await rejectionOf(module.init())).toMatchObject({ code: 'ECONNREFUSED' });
    expect(warnings).toEqual([]);
    await module.close();
  });

  it('waits neither for another password nor for a database that is missing', async () => {
    const role = `role_${randomUUID().replaceAll('-', '')}`;
    const url = new URL(way.url);
    url.pathname = `/${role}`;
    const module = await compile(FOR_EVER, url.href);
    expect(await rejectionOf(module.init())).toMatchObject({ code: '3D000' });
    url.username = role;
    const other = await compile(FOR_EVER, url.href);
    expect(await rejectionOf(other.init())).toMatchObject({ code: expect.stringMatching(/^(28|3D)/) });
    expect(warnings).toEqual([]);
    await Promise.all([module.close(), other.close()]);
  });

  it('fails for nothing that it would only warn of', async () => {
    const first = await compile(FOR_EVER);
    await first.init();
    await first.close();
    // No date is as late: the sentence about this hold cannot be written.
    await database.query(
      `insert into crn_hold (job_name, held_at_unix_ms, held_by) values ('', 9000000000000000, 'ops')`,
    );
    const module = await compile(FOR_EVER);
    await module.init();
    expect(module.get(CronStoreEngine).status().state).toBe('running');
    expect(warnings).toEqual([expect.stringMatching(/^Whether everything is held could not be found out: /)]);
    await module.close();
  });

  it('waits neither for tables', async () => {
    const module = await compile({ ...FOR_EVER, autoMigrate: false });
    expect(await rejectionOf(module.init())).toBeInstanceOf(StoreSchemaError);
    expect(warnings).toEqual([]);
    await module.close();
  });
});
