import { randomUUID } from 'node:crypto';
import { type CronStoreOptions, every, StoreSchemaError } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';
import { untilOver } from '../engine/support/runs.js';

describe('a role without the privileges', () => {
  let database: TestDatabase;
  let role: string;

  beforeEach(async () => {
    database = await createTestDatabase();
    role = `limited_${randomUUID().slice(0, 8)}`;
    await database.query(`create role ${role} login`);
  });

  afterEach(async () => {
    await database.query(`drop owned by ${role}`);
    await database.query(`drop role ${role}`);
    await database.drop();
  });

  async function bootAsRole(store: CronStoreOptions): Promise<StoreApp> {
    const url = new URL(database.url);
    url.username = role;
    url.searchParams.set('application_name', role);
    return startStoreApp({
      url: url.href,
      store: { schema: 'cron', ...store },
      providers: [job('work', () => undefined)],
    });
  }

  async function refusal(store: CronStoreOptions): Promise<string> {
    const error: unknown = await bootAsRole(store).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(StoreSchemaError);
    return (error as Error).message;
  }

  it('is told the grants that it lacks, and works with exactly these', async () => {
    const owner = await startStoreApp({ url: database.url, store: { schema: 'cron' } });
    await owner.close();

    const message = await refusal({ autoMigrate: false });
    expect(message).toMatch(`The role "${role}" may not use it in the schema "cron".`);
    for (const [grant] of message.matchAll(/grant [^;]+;/g)) {
      await database.query(grant);
    }
    const node = await bootAsRole({ autoMigrate: false });
    await node.manager.create({ name: 'works', jobName: 'work', trigger: every('1s') });
    await untilOver(node, 'works');
    await node.manager.delete('works');
    await node.close();
  });

  it('is told which tables are closed to it', async () => {
    const owner = await startStoreApp({ url: database.url, store: { schema: 'cron' } });
    await owner.close();
    await database.query(`grant usage on schema cron to ${role}`);
    await database.query(`grant select, insert, update, delete on all tables in schema cron to ${role}`);
    await database.query(`revoke delete on cron.crn_fire_request from ${role}`);

    expect(await refusal({ autoMigrate: false })).toMatch(
      /may not read and write crn_fire_request in the schema "cron"/,
    );
  });

  it('cannot migrate, is told who can, and leaves no connection behind although nobody closes the application', async () => {
    expect(await refusal({ autoMigrate: true })).toMatch(
      /Run the migrations as the role that owns the tables/,
    );
    await untilTrue('the store has no connection', async () => {
      const rows = await database.query(
        `select 1 from pg_stat_activity where application_name = $1 and query like '%crn_%'`,
        [role],
      );
      return rows.length === 0;
    });
  });
});
