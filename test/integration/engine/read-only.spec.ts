import { Logger } from '@nestjs/common';
import { DatabaseError } from 'pg';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { NEVER, untilOver } from './support/runs.js';

/** What PostgreSQL says to a write where it takes none. */
const READ_ONLY_SQL_TRANSACTION = '25006';

describe('a database that takes no writes for a while', () => {
  let database: TestDatabase;
  let node: StoreApp;
  let executed = 0;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    database = await createTestDatabase();
    node = await startStoreApp({ url: database.url, providers: [job('work', () => (executed += 1))] });
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
    Logger.overrideLogger(['error']);
  });

  /** For every connection from now on. */
  async function takeWrites(isOn: boolean): Promise<void> {
    const [row] = await database.query<{ name: string }>('select current_database() as name');
    await database.query(
      `alter database ${row?.name} set default_transaction_read_only = ${isOn ? 'off' : 'on'}`,
    );
    await database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()`,
    );
  }

  it('has nothing executed meanwhile, whose end could not be journaled, and everything afterwards', async () => {
    await node.manager.create({ name: 'frozen', jobName: 'work', trigger: NEVER });
    await takeWrites(false);
    await database.query(
      `begin read write; update crn_schedule set next_fire_at_unix_ms = floor(extract(epoch from now()) * 1000) where name = 'frozen'; commit`,
    );
    await untilTrue('a claim is refused', async () => {
      const error: unknown = await node.engine.runOnce().catch((caught: unknown) => caught);
      return error instanceof DatabaseError && error.code === READ_ONLY_SQL_TRANSACTION;
    });
    expect(executed).toBe(0);

    await takeWrites(true);
    expect(await untilOver(node, 'frozen')).toMatchObject([{ status: 'succeeded' }]);
    await untilTrue('the node works as before', () => node.engine.status().state === 'running');
    expect(executed).toBe(1);
  });
});
