import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { cron, cronStoreMigrations, every, JobHandlerRegistry, nextFires } from '../../../lib/index.js';
import { definitionOf } from '../../../lib/management/resources/schedule-definition.mapper.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { runCommand } from '../../support/command-line.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { page } from './support/manual.js';
import type { Page } from './support/page.js';

const SCHEMA = 'cron';
const ANOTHER_SCHEMA = 'another';

describe('what the manual says of the database', () => {
  const suffix = randomUUID().replaceAll('-', '');
  const app = `app_${suffix}`;
  const migrator = `migrator_${suffix}`;
  let database: TestDatabase;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const role of [app, migrator]) {
      await database.query(`create role ${role} login password '${role}'`);
    }
    const { ofAdministrator, ofMigrator } = privileges();
    await database.query(ofAdministrator);
    await asMigrator(SCHEMA, (dataSource) => dataSource.query(ofMigrator));
    await migrateOnCommandLine();
    await database.query(`create schema ${ANOTHER_SCHEMA} authorization ${migrator}`);
    expect(await migrateByScript(ANOTHER_SCHEMA)).toBe(cronStoreMigrations().length);
    // Where the command line has migrated, nothing is left: both keep one history.
    expect(await migrateByScript(SCHEMA)).toBe(0);
    node = await startStoreApp({
      url: urlOf(app),
      store: { schema: SCHEMA, autoMigrate: false },
      providers: [
        {
          provide: 'jobs',
          inject: [JobHandlerRegistry],
          useFactory: (registry: JobHandlerRegistry) =>
            registry.register({ name: 'work', execute: () => undefined }),
        },
      ],
    });
  });

  afterAll(async () => {
    await node.close();
    for (const role of [app, migrator]) {
      await database.query(`drop owned by ${role} cascade`);
      await database.query(`drop role ${role}`);
    }
    await database.drop();
  });

  it('grants the application all that it needs: it manages, fires and journals', async () => {
    await node.manager.create({ name: 'every second', jobName: 'work', trigger: every('1s') });
    await untilTrue('a run succeeded', async () => {
      const runs = await node.manager.listRuns({ statuses: ['succeeded'] });
      return runs.length > 0;
    });
    await node.manager.delete('every second');
  });

  it('answers a creation with the fields that it shows', async () => {
    const { params } = requestOf('schedule/create');
    const spec = { ...definitionOf(params), jobName: 'work' };
    const created = await node.manager.create(spec, { actor: 'u-17' });
    await node.manager.delete(created.name);
    const { data } = answerWith('anchorAtUnixMs');
    expect({ ...data, jobName: 'work' }).toEqual({ ...created, ...unpredictable(data) });
    expect(Object.keys(unpredictable(data))).toEqual(Object.keys(unpredictable(created)));
    expect(Number(data['nextFireAtUnixMs'])).toBe(
      nextFires(cron('0 2 * * *', 'Asia/Shanghai'), { after: Number(data['createdAtUnixMs']), count: 1 })[0],
    );
  });

  it('finds what is overdue, also where no node has the job', async () => {
    await node.manager.create({ name: 'overdue', jobName: 'work', trigger: every('1h') });
    await node.manager.create({ name: 'on time', jobName: 'work', trigger: every('1h') });
    await database.query(
      `update ${SCHEMA}.crn_schedule set job_name = 'elsewhere', next_fire_at_unix_ms = 0 where name = 'overdue'`,
    );
    const overdue = await database.query(
      blockWith(page('operations'), 'sql', 'from crn_schedule').replace(
        'from crn_schedule',
        `from ${SCHEMA}.crn_schedule`,
      ),
    );
    expect(overdue).toEqual([{ name: 'overdue', job_name: 'elsewhere', due: new Date(0) }]);
  });

  it('does not fire a schedule that an open transaction has changed, until it commits', async () => {
    const name = 'in a transaction';
    await node.manager.create({ name, jobName: 'work', trigger: every('1s'), misfirePolicy: 'skip' });
    await node.dataSource.transaction(async (transaction) => {
      const { nextFireAtUnixMs = 0 } = await node.manager.patch(name, { timeout: '1m' }, { transaction });
      await untilTrue('the schedule is due', () => isPast(nextFireAtUnixMs));
      expect(await node.engine.runOnce()).toEqual({ started: 0, journaled: 0 });
      expect(await node.manager.listRuns({ scheduleName: name, since: nextFireAtUnixMs })).toEqual([]);
    });
    await untilTrue('it has fired', async () => {
      const runs = await node.manager.listRuns({ scheduleName: name, statuses: ['succeeded'] });
      return runs.length > 0;
    });
    await node.manager.delete(name);
  });

  it('fails a change at REPEATABLE READ when the schedule was changed since the snapshot', async () => {
    const name = 'changed by two';
    await node.manager.create({ name, jobName: 'work', trigger: every('1h') });
    const change = node.dataSource.transaction('REPEATABLE READ', async (transaction) => {
      await transaction.query(`select from ${SCHEMA}.crn_schedule`);
      await node.manager.pause(name);
      await node.manager.resume(name, { transaction });
    });
    await expect(change).rejects.toMatchObject({ code: '40001' });
    expect((await node.manager.get(name)).schedule.state).toBe('paused');
  });

  async function isPast(unixMs: number): Promise<boolean> {
    const [row] = await database.query<{ is_past: boolean }>(
      'select extract(epoch from clock_timestamp()) * 1000 > $1::float8 as is_past',
      [unixMs],
    );
    return row?.is_past === true;
  }

  // Neither role may create anything in `public`, as it is from PostgreSQL 15 on.
  async function migrateOnCommandLine(): Promise<void> {
    const { errors } = await runCommand(urlOf(migrator), ['--schema', SCHEMA, 'migrate', 'up']);
    expect(errors).toBe('');
  }

  /** @returns how many migrations there were to run. */
  async function migrateByScript(schema: string): Promise<number> {
    return asMigrator(schema, async (dataSource) => (await dataSource.runMigrations()).length);
  }

  async function asMigrator<Result>(
    schema: string,
    work: (dataSource: DataSource) => Promise<Result>,
  ): Promise<Result> {
    const dataSource = new DataSource({
      ...options(urlOf(migrator)),
      schema,
      migrations: cronStoreMigrations({ schema }),
      migrationsTableName: 'crn_migration',
    });
    await dataSource.initialize();
    try {
      return await work(dataSource);
    } finally {
      await dataSource.destroy();
    }
  }

  /** What the manual has the administrator and the migrating role say, for the roles of this test. */
  function privileges(): { readonly ofAdministrator: string; readonly ofMigrator: string } {
    const [, ofAdministrator = '', ofMigrator = ''] = blockWith(
      page('storage-and-migrations'),
      'sql',
      'create schema',
    )
      .replaceAll(/\bmigrator;/g, `${migrator};`)
      .replaceAll(/\bto app;/g, `to ${app};`)
      .split(/^-- as .*$/m);
    return { ofAdministrator, ofMigrator };
  }

  function urlOf(user: string): string {
    const url = new URL(database.url);
    url.username = user;
    url.password = user;
    return url.href;
  }
});

/** The one block of a page in a language that contains a text. */
function blockWith({ codeBlocks }: Page, language: string, text: string): string {
  const found = codeBlocks.filter((block) => block.language === language && block.text.includes(text));
  expect(found).toHaveLength(1);
  return found[0]?.text ?? '';
}

/** The body that a request of the manual sends. */
function requestOf(action: string): { readonly params: Readonly<Record<string, unknown>> } {
  const [, body = ''] = /-d '(.*)'/s.exec(blockWith(page('http-api'), 'sh', action)) ?? [];
  return JSON.parse(body);
}

/** The answer of the manual that contains a text. */
function answerWith(text: string): { readonly data: Readonly<Record<string, unknown>> } {
  return JSON.parse(blockWith(page('http-api'), 'json', text));
}

/** What is another one in each database and at each time. */
function unpredictable(schedule: object): object {
  const members = Object.entries(schedule).filter(([name]) => name === 'id' || name.endsWith('AtUnixMs'));
  return Object.fromEntries(members.toSorted(([left], [right]) => (left < right ? -1 : 1)));
}
