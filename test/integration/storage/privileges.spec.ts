import { randomUUID } from 'node:crypto';
import { type CronStoreOptions, every, StoreSchemaError } from '../../../lib/index.js';
import { runCommand } from '../../support/command-line.js';
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

  async function grantEverything(): Promise<void> {
    const owner = await startStoreApp({ url: database.url, store: { schema: 'cron' } });
    await owner.close();
    await database.query(`grant usage on schema cron to ${role}`);
    await database.query(`grant select, insert, update, delete on all tables in schema cron to ${role}`);
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
    expect(message).toMatch(`The role "${role}" may not use the schema "cron".`);
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
    await grantEverything();
    await database.query(`revoke delete on cron.crn_fire_request from ${role}`);
    await database.query(`revoke insert, update on cron.crn_seed from ${role}`);

    expect(await refusal({ autoMigrate: false })).toBe(
      `The role "${role}" lacks delete on crn_fire_request; insert, update on crn_seed in the schema "cron". ` +
        `Let its owner run: grant delete on "cron".crn_fire_request to "${role}"; ` +
        `grant insert, update on "cron".crn_seed to "${role}";`,
    );
  });

  it('needs to change and delete audit records only where it is to delete the old ones', async () => {
    await grantEverything();
    await database.query(`revoke update, delete on cron.crn_audit from ${role}`);

    expect(await refusal({ autoMigrate: false, auditRetention: '8760h' })).toMatch(
      /lacks update, delete on crn_audit/,
    );
    const node = await bootAsRole({ autoMigrate: false });
    await node.close();
    const manages = await bootAsRole({ autoMigrate: false, auditRetention: '8760h', execute: false });
    await manages.close();
  });

  it('needs to delete runs only where it is to delete the old ones', async () => {
    await grantEverything();
    await database.query(`revoke delete on cron.crn_run from ${role}`);

    for (const retention of [{ runRetention: '720h' }, { runRetentionPerSchedule: 100 }]) {
      expect(await refusal({ autoMigrate: false, ...retention })).toMatch(/lacks delete on crn_run/);
    }
    const node = await bootAsRole({ autoMigrate: false });
    await node.close();
  });

  it('cannot migrate on the command line either, and is told who can', async () => {
    const url = new URL(database.url);
    url.username = role;
    const { exitCode, errors } = await runCommand(url.href, ['migrate', 'up', '--schema', 'cron']);
    expect(exitCode).toBe(1);
    expect(errors).toMatch(
      /^error: The role "limited_.+" may not migrate the schema "cron": permission denied [^.]+\. Run it as the role that owns the tables\.\n$/,
    );
  });

  it('cannot migrate, is told who can, and leaves no connection behind although nobody closes the application', async () => {
    expect(await refusal({ autoMigrate: true })).toMatch(
      /^The role ".+" may not migrate the schema "cron": permission denied .+\. Run the migrations as the role that owns the tables \(`npx cron-store --schema cron migrate up`\), and leave autoMigrate off here\.$/,
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
