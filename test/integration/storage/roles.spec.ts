import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { DataSource } from 'typeorm';
import { type CronStoreOptions, cronStoreMigrations, every, JobHandler } from '../../../lib/index.js';
import { neededPrivileges } from '../../../lib/storage/schema/privileges.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { runCommand } from '../../support/command-line.js';
import { startStoreApp, type StoreApp, type StoreAppOptions } from '../../support/store-app.js';
import { Page } from '../../unit/documentation/support/page.js';
import { job } from '../engine/support/jobs.js';
import { untilOver } from '../engine/support/runs.js';

const SCHEMA = 'cron';
const BLOCKS = new Page('docs/security.md').codeBlocks
  .filter(({ language }) => language === 'sql')
  .map(({ text }) => text);
const ROLES = ['migrator', 'app', 'dashboard', 'audit_keeper'] as const;

type Role = (typeof ROLES)[number];

@JobHandler({ name: 'transactional', transactional: true })
class TransactionalHandler {
  execute(): void {
    // Its success is what there is to commit.
  }
}

describe('the roles of docs/security.md', () => {
  const suffix = randomUUID().slice(0, 8);
  const hasRun = new Set<string>();
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await run('create role migrator');
    await migrate();
    await run('to app, dashboard');
    await run('grant delete on cron.crn_run');
    await run('revoke update, delete, truncate');
    await run('create role audit_keeper');
    await run('on cron.crn_node, cron.crn_hold to dashboard');
  });

  afterAll(async () => {
    for (const role of ROLES) {
      await database.query(`drop owned by ${nameOf(role)} cascade`);
      await database.query(`drop role ${nameOf(role)}`);
    }
    await database.drop();
  });

  it('give the application what it needs with retention of runs, and nothing besides', async () => {
    const granted = await database.query<{ table: string; privilege: string }>(
      `select table_name as table, lower(privilege_type) as privilege from information_schema.role_table_grants
       where grantee = $1`,
      [nameOf('app')],
    );
    const { tables, privileges } = neededPrivileges({ runs: true, audit: false });
    const needed = tables.map((table, index) => `${privileges[index]} on ${table}`);
    expect(granted.map(({ table, privilege }) => `${privilege} on ${table}`).toSorted()).toEqual(
      needed.toSorted(),
    );
  });

  it('let the application seed, fire, repeat, backfill, prune and manage', async () => {
    let failures = 1;
    const node = await startAs('app', { runRetention: '720h', runRetentionPerSchedule: 1_000 }, [
      job({ name: 'work', defaultSchedule: { trigger: every('1s'), onRedeploy: 'update' } }, () => undefined),
      job('fails once', () => {
        if (failures-- > 0) {
          throw new Error('not yet');
        }
      }),
      TransactionalHandler,
    ]);
    const { manager } = node;
    await untilOver(node, 'work');
    const trigger = every('1h');
    await manager.create({
      name: 'retried',
      jobName: 'fails once',
      trigger,
      retry: { maxAttempts: 2, backoffMs: 1 },
    });
    await manager.create({ name: 'transactional', jobName: 'transactional', trigger });
    for (const name of ['retried', 'transactional']) {
      await manager.triggerNow(name, { idempotencyKey: 'once' });
      await untilTrue(`${name} has succeeded`, async () => {
        const runs = await manager.listRuns({ scheduleName: name, statuses: ['succeeded'] });
        return runs.length > 0;
      });
    }
    await manager.patch('work', { name: 'renamed', timeout: '1m' });
    await manager.pause('renamed', { note: 'a while', until: Date.now() + 3_600_000 });
    await manager.resume('renamed');
    const [backfilled] = await manager.listRuns({ scheduleName: 'renamed', statuses: ['succeeded'] });
    const range = { from: backfilled?.scheduledAtUnixMs ?? 0, to: backfilled?.scheduledAtUnixMs ?? 0 };
    await manager.backfill('renamed', range);
    await manager.hold({ jobName: 'work' }, { note: 'quiet' });
    await manager.hold({ jobName: 'work' }, { note: 'still quiet' });
    await manager.release({ jobName: 'work' });
    await manager.rerun(backfilled?.id ?? '');
    await manager.cancelRunsOf('renamed');
    await manager.delete('renamed');
    await expect(manager.pause('renamed')).rejects.toMatchObject({ code: 2700 });
    expect(node.engine.status().faults).toEqual([]);
    await node.close();
  });

  it('let the application give the store to another environment, and hold it', async () => {
    await onCommandLine('take-over', '--environment', 'test');
    await onCommandLine('--environment', 'test', 'release');
    const node = await startAs('app', { environment: 'test' }, [job('work', () => undefined)]);
    expect(await node.manager.listHolds()).toEqual([]);
    await node.close();
    await onCommandLine('take-over', '--no-environment', '--release');
  });

  it('follow a definition that the code owns', async () => {
    const definition = { name: 'owned', trigger: every('1h'), onRedeploy: 'update' as const };
    const before = await startAs('app', {}, [
      job({ name: 'owned', defaultSchedule: definition }, () => undefined),
    ]);
    await before.close();
    const after = await startAs('app', {}, [
      job({ name: 'owned', defaultSchedule: { ...definition, trigger: every('2h') } }, () => undefined),
    ]);
    expect((await after.manager.get('owned')).schedule).toMatchObject({ everyMs: 7_200_000 });
    await after.close();
  });

  it('keep the application from changing what the audit trail says', async () => {
    const node = await startAs('app', {}, [job('work', () => undefined)]);
    await node.manager.create({ name: 'audited', jobName: 'work', trigger: every('1h') }, { actor: 'u-17' });
    await node.close();
    for (const statement of [
      `update ${SCHEMA}.crn_audit set actor_id = 'somebody else'`,
      `delete from ${SCHEMA}.crn_audit`,
      `truncate ${SCHEMA}.crn_audit`,
    ]) {
      await expect(as('app', statement)).rejects.toMatchObject({
        code: '42501',
        message: 'permission denied for table crn_audit',
      });
    }
    const records = await as('app', `select actor_id from ${SCHEMA}.crn_audit where target = 'audited'`);
    expect(records).toEqual([{ actor_id: 'u-17' }]);
  });

  it('keep the application from changing the tables', async () => {
    for (const statement of [
      `create table ${SCHEMA}.mine (id integer)`,
      `alter table ${SCHEMA}.crn_run add column mine integer`,
      `drop table ${SCHEMA}.crn_run`,
      `create index on ${SCHEMA}.crn_run (status)`,
    ]) {
      await expect(as('app', statement)).rejects.toMatchObject({ code: '42501' });
    }
  });

  it('refuse to start where old audit records are to be deleted', async () => {
    await expect(startAs('app', { auditRetention: '8760h' }, [])).rejects.toThrow(
      /lacks update, delete on crn_audit in the schema "cron"/,
    );
  });

  it('let the keeper of the audit trail delete old records only by name of its table', async () => {
    await database.query(`update ${SCHEMA}.crn_audit set at_unix_ms = 0 where target = 'audited'`);
    await run('delete from cron.crn_audit');
    const left = await database.query(`select from ${SCHEMA}.crn_audit where target = 'audited'`);
    expect(left).toEqual([]);
    await expect(as('audit_keeper', `select from ${SCHEMA}.crn_run`)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('let the dashboard count, and see neither params nor errors nor the audit trail', async () => {
    await run('group by schedule_name, status');
    for (const hidden of [
      'params from cron.crn_schedule',
      'error from cron.crn_run',
      '* from cron.crn_audit',
    ]) {
      await expect(as('dashboard', `select ${hidden}`)).rejects.toMatchObject({ code: '42501' });
    }
    await expect(as('dashboard', `update ${SCHEMA}.crn_hold set note = ''`)).rejects.toMatchObject({
      code: '42501',
    });
  });

  it('run every statement of the page', () => {
    expect(BLOCKS.filter((block) => !hasRun.has(block))).toEqual([]);
  });

  /** Runs the block of the page that has a text, each part of it as the role that it begins with. */
  async function run(text: string): Promise<void> {
    const [block = '', ...others] = BLOCKS.filter((candidate) => candidate.includes(text));
    expect(others).toEqual([]);
    const [, ...parts] = block.split(/^-- as /m);
    expect(parts.length).toBeGreaterThan(0);
    for (const part of parts) {
      const role = ROLES.find((name) => part.startsWith(name));
      const statements = ofThisTest(part.slice(part.indexOf('\n')));
      await (role === undefined ? database.query(statements) : as(role, statements));
    }
    hasRun.add(block);
  }

  async function onCommandLine(...words: readonly string[]): Promise<void> {
    const { errors } = await runCommand(urlOf('app'), ['--schema', SCHEMA, ...words]);
    expect(errors).toBe('');
  }

  async function startAs(
    role: Role,
    store: CronStoreOptions,
    providers: StoreAppOptions['providers'] = [],
  ): Promise<StoreApp> {
    return startStoreApp({
      url: urlOf(role),
      store: { schema: SCHEMA, autoMigrate: false, ...store },
      providers,
    });
  }

  /** What the deployment does between the two steps of the page. */
  async function migrate(): Promise<void> {
    const dataSource = new DataSource({
      ...options(urlOf('migrator')),
      schema: SCHEMA,
      migrations: cronStoreMigrations({ schema: SCHEMA }),
      migrationsTableName: 'crn_migration',
    });
    await dataSource.initialize();
    await dataSource.runMigrations();
    await dataSource.destroy();
  }

  async function as(role: Role, statements: string): Promise<unknown[]> {
    const client = new Client({ connectionString: urlOf(role) });
    await client.connect();
    try {
      const { rows } = await client.query<object>(statements);
      return rows;
    } finally {
      await client.end();
    }
  }

  function urlOf(role: Role): string {
    const url = new URL(database.url);
    url.username = nameOf(role);
    return url.href;
  }

  function nameOf(role: Role): string {
    return `${role}_${suffix}`;
  }

  /** Roles belong to the server, which other tests use as well. */
  function ofThisTest(text: string): string {
    return ROLES.reduce(
      (replaced, role) => replaced.replaceAll(new RegExp(`\\b${role}\\b`, 'g'), nameOf(role)),
      text,
    );
  }
});
