import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreModule, type CronStoreOptions, JobHandler, StoreSchemaError } from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { rejectionOf } from '../manager/support/still-store.js';

@JobHandler({ name: 'broken', defaultSchedule: { trigger: { kind: 'cron', expr: 'bad' } } })
class BrokenHandler implements JobHandler {
  execute() {
    return undefined;
  }
}

describe('a boot that fails', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  async function compile(store: CronStoreOptions, providers: (typeof BrokenHandler)[] = []) {
    return Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot({ ...options(database.url), applicationName: 'host' }),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(store),
      ],
      providers,
    }).compile();
  }

  /** Asserts that closing leaves no connection behind. */
  async function leavesNothing(module: TestingModule) {
    await module.close();
    await untilTrue('every connection is closed', async () => {
      const open = await database.query(
        `select 1 from pg_stat_activity where datname = current_database() and application_name = 'host'`,
      );
      return open.length === 0;
    });
  }

  it('for its schema leaves no connection behind once the application is closed', async () => {
    const module = await compile({});

    expect(await rejectionOf(module.init())).toBeInstanceOf(StoreSchemaError);
    await leavesNothing(module);
  });

  it('for a default schedule does neither, and nothing was seeded', async () => {
    const module = await compile({ autoMigrate: true }, [BrokenHandler]);

    expect(await rejectionOf(module.init())).toMatchObject({
      message: expect.stringMatching(/default schedule of BrokenHandler/),
    });
    await leavesNothing(module);
    expect(await database.query('select * from crn_schedule')).toEqual([]);
    expect(await database.query('select * from crn_node')).toEqual([]);
  });

  it('for want of the right to create tables says so, and leaves nothing behind', async () => {
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    await database.query(`alter database ${row?.name} set default_transaction_read_only = on`);
    const module = await compile({ autoMigrate: true });

    expect(await rejectionOf(module.init())).toMatchObject({ message: expect.stringMatching(/read-only/) });
    await leavesNothing(module);
  });

  it('may be closed twice', async () => {
    const module = await compile({});
    await rejectionOf(module.init());
    await module.close();

    await expect(module.close()).resolves.toBeUndefined();
  });
});
