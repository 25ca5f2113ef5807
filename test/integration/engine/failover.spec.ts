import { Logger } from '@nestjs/common';
import { Client, DatabaseError } from 'pg';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { DatabaseServer } from '../../cluster/support/database-server.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { fire, NEVER } from './support/runs.js';

/** What a standby says to a write. */
const READ_ONLY_SQL_TRANSACTION = '25006';

describe('a failover whose address leads to a standby for a while', () => {
  let primary: DatabaseServer;
  let standby: DatabaseServer;
  let database: TestDatabase;
  let address: DatabaseProxy;
  let node: StoreApp;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    primary = await DatabaseServer.start();
    database = await createTestDatabase(primary.url);
    const migrated = await startStoreApp({ url: database.url });
    await migrated.close();
    standby = await primary.startStandby();
    address = await DatabaseProxy.open(database.url);
    node = await startStoreApp({ url: address.url, providers: [job('work', () => undefined)] });
  });

  afterAll(async () => {
    await node.close();
    await address.close();
    await database.drop();
    await Promise.all([primary.remove(), standby.remove()]);
    Logger.overrideLogger(['error']);
  });

  /** How many connections have looked for something due, on a server. */
  async function readersOf(server: DatabaseServer): Promise<number> {
    const url = new URL(server.url);
    url.pathname = new URL(database.url).pathname;
    const client = new Client({ connectionString: url.href });
    await client.connect();
    const { rowCount } = await client.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and query like '%crn_schedule%'`,
    );
    await client.end();
    return rowCount ?? 0;
  }

  it('is survived: connections from before it was met are given up, and new ones find the primary', async () => {
    await node.manager.create({ name: 'before', jobName: 'work', trigger: NEVER });
    address.redirect(standby.url);
    address.drop();
    await untilTrue('a claim was looked for there', async () => (await readersOf(standby)) > 0);
    await untilTrue('a change is refused', async () => {
      const error: unknown = await node.manager.pause('before').catch((caught: unknown) => caught);
      return error instanceof DatabaseError && error.code === READ_ONLY_SQL_TRANSACTION;
    });

    // Nobody cuts what is open.
    address.redirect(primary.url);
    await untilTrue('the node works again', () => node.engine.status().state === 'running');
    expect(await fire(node, 'before')).toMatchObject({ status: 'succeeded' });
  });
});
