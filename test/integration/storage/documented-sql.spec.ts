import { Client } from 'pg';
import { cron, every } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { type CodeBlock, Page } from '../../unit/documentation/support/page.js';
import { Gate, job } from '../engine/support/jobs.js';

const SCHEMA = 'cron';
const PAGES = ['docs/production.md', 'docs/troubleshooting.md'];
const BLOCKS = PAGES.flatMap((path) => new Page(path).codeBlocks).filter(
  ({ language }) => language === 'sql',
);

/** The name that the pages ask for. */
const NAME = 'nightly-report';

type Row = Readonly<Record<string, unknown>>;

describe('the SQL of the pages for operators', () => {
  const gate = new Gate();
  let database: TestDatabase;
  let node: StoreApp;
  let client: Client;

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      store: { schema: SCHEMA, heartbeatInterval: '10s', abandonedAfter: '1m' },
      providers: [
        job('report', () => undefined),
        job('waits', () => gate.pass()),
        job('fails', () => {
          throw new Error('out of paper');
        }),
      ],
    });
    client = new Client({ connectionString: database.url });
    await client.connect();
    await client.query(`set search_path to ${SCHEMA}`);
  });

  afterAll(async () => {
    gate.open();
    await client.end();
    await node.close();
    await database.drop();
  });

  it('is there', () => {
    expect(BLOCKS.length).toBeGreaterThan(15);
  });

  it.each(BLOCKS)('runs as it stands in $page, line $line', async ({ text }) => {
    await client.query(text);
  });

  describe('that says why a schedule does not fire', () => {
    afterEach(async () => {
      await node.manager.release({});
      await node.manager.release({ jobName: 'report' });
      await client.query('delete from crn_schedule where name = $1', [NAME]);
    });

    it.each([
      ['not due before ', async () => undefined],
      [
        'paused by u-17 (the bank is closed)',
        () => node.manager.pause(NAME, { actor: 'u-17', note: 'the bank is closed' }),
      ],
      ['held: the job', () => node.manager.hold({ jobName: 'report' })],
      ['held: the whole store (quiet)', () => node.manager.hold({}, { note: 'quiet', until: inAnHour() })],
      ['spent: its trigger yields no further occurrence', () => change('next_fire_at_unix_ms = null')],
      ['parked: expr_invalid', () => change(`parked_reason = 'expr_invalid'`)],
      [
        'orphan: no live node has the job elsewhere',
        () => change(`job_name = 'elsewhere', next_fire_at_unix_ms = 0`),
      ],
    ])('says %s', async (because, make) => {
      await node.manager.create({ name: NAME, jobName: 'report', trigger: every('1h') });
      await make();
      const [found] = await rowsOf('as because');
      expect(found).toMatchObject({ name: NAME });
      expect(String(found?.['because']).startsWith(because)).toBe(true);
    });

    it('says who created a schedule that was never enabled', async () => {
      await node.manager.create(
        { name: NAME, jobName: 'report', trigger: every('1h'), enabled: false },
        { actor: 'u-17' },
      );
      expect(await rowsOf('as because')).toMatchObject([{ because: 'paused by u-17' }]);
    });

    it.each([
      ['of a schedule whose cursor moves on', 'not due before ', 'fire_now'],
      ['that a backlog waits for', 'due, and waits for the run that is active', 'backfill'],
    ] as const)('names the active run %s', async (_, because, misfirePolicy) => {
      gate.close();
      await node.manager.create({ name: NAME, jobName: 'waits', trigger: every('1h'), misfirePolicy });
      // An outage of five hours.
      await change(
        'next_fire_at_unix_ms = next_fire_at_unix_ms - 18000000, anchor_at_unix_ms = anchor_at_unix_ms - 18000000',
      );
      await node.engine.runOnce();
      const [run] = await node.manager.listRuns({ scheduleName: NAME, statuses: ['running'] });
      const [found] = await rowsOf('as because');
      expect(found?.['because']).toEqual(expect.stringContaining(because));
      expect(found?.['because']).toEqual(expect.stringContaining(`; active run: ${run?.id}`));
      gate.open();
    });

    it('finds nothing where there is no such schedule', async () => {
      expect(await rowsOf('as because')).toEqual([]);
    });

    it('says that nobody claims what is due, where somebody holds its row', async () => {
      await node.manager.create({ name: NAME, jobName: 'report', trigger: every('1h') });
      // Held until somebody has its row: nobody claims it before.
      await node.manager.hold({ jobName: 'report' });
      await change('next_fire_at_unix_ms = next_fire_at_unix_ms - 7200000');
      await node.dataSource.transaction(async (transaction) => {
        await transaction.query(`select from ${SCHEMA}.crn_schedule where name = $1 for update`, [NAME]);
        await node.manager.release({ jobName: 'report' });
        const [found] = await rowsOf('as because');
        expect(String(found?.['because']).startsWith('due and not claimed')).toBe(true);
      });
    });
  });

  it('finds what is overdue, and neither what is held nor what is parked', async () => {
    for (const name of ['overdue', 'overdue and parked', 'overdue and held']) {
      await node.manager.create({ name, jobName: 'report', trigger: every('1h') });
    }
    await client.query(
      `update crn_schedule set next_fire_at_unix_ms = 0, job_name = 'elsewhere' where name like 'overdue%'`,
    );
    await client.query(
      `update crn_schedule set parked_reason = 'expr_invalid' where name = 'overdue and parked'`,
    );
    await client.query(`update crn_schedule set job_name = 'held job' where name = 'overdue and held'`);
    await node.manager.hold({ jobName: 'held job' });
    expect(await rowsOf('as overdue_minutes')).toMatchObject([{ name: 'overdue', job_name: 'elsewhere' }]);
    expect((await rowsOf('misfire_policy, recover')).map(({ name }) => name)).toEqual(
      expect.arrayContaining(['overdue', 'overdue and held']),
    );
    await client.query(`delete from crn_schedule where name like 'overdue%'`);
    await node.manager.release({ jobName: 'held job' });
  });

  it('finds schedules without a recent success', async () => {
    await node.manager.create({ name: 'succeeds', jobName: 'report', trigger: cron('0 0 1 1 *') });
    await node.manager.create({ name: 'never succeeds', jobName: 'fails', trigger: cron('0 0 1 1 *') });
    for (const name of ['succeeds', 'never succeeds']) {
      await node.manager.triggerNow(name);
      await untilTrue(`${name} has ended`, async () => {
        const [run] = await node.manager.listRuns({ scheduleName: name });
        return run?.finishedAtUnixMs !== undefined;
      });
    }
    expect(await rowsOf('as last_success')).toEqual([{ name: 'never succeeds', last_success: null }]);
  });

  it('shows what became of the runs of a schedule, also of one that has another name by now', async () => {
    await node.manager.create({ name: NAME, jobName: 'fails', trigger: cron('0 0 1 1 *') });
    const { requestId } = await node.manager.triggerNow(NAME);
    await untilTrue('it has failed', async () => {
      const [run] = await node.manager.listRuns({ scheduleName: NAME, statuses: ['failed'] });
      return run?.idempotencyKey === requestId;
    });
    await node.manager.patch(NAME, { name: 'another name' });
    expect((await rowsOf('missed_count, attempt, node_id, left(error'))[0]).toMatchObject({
      status: 'failed',
      reason: 'handler_error',
      error: 'out of paper',
    });
  });

  it('finds two schedules of one job', async () => {
    await node.manager.create({ name: 'one', jobName: 'waits', trigger: cron('0 0 1 1 *') });
    await node.manager.create({ name: 'two', jobName: 'waits', trigger: cron('0 0 1 1 *') });
    expect(await rowsOf('as schedules, array_agg')).toContainEqual({
      job_name: 'waits',
      schedules: '2',
      names: ['one', 'two'],
    });
  });

  it('finds who keeps the row of a schedule', async () => {
    const statement = blockWith('join pg_stat_activity a on a.pid').text.replace(
      "interval '5 seconds'",
      "interval '0'",
    );
    await node.dataSource.transaction(async (transaction) => {
      await transaction.query(`select from ${SCHEMA}.crn_schedule for update`);
      const { rows } = await client.query<Row>(statement);
      expect(rows.map(({ last_statement: text }) => String(text))).toContainEqual(
        expect.stringContaining('for update'),
      );
    });
  });

  it('lifts the fence above every number that was given out', async () => {
    await client.query(blockWith('setval').text);
    const { requestId } = await node.manager.triggerNow('succeeds');
    await untilTrue('it has run', async () => {
      const runs = await node.manager.listRuns({ scheduleName: 'succeeds' });
      return runs.some(
        ({ idempotencyKey, status }) => idempotencyKey === requestId && status === 'succeeded',
      );
    });
    const { rows } = await client.query<Row>('select max(fence) > 1000000 as is_lifted from crn_run');
    expect(rows).toEqual([{ is_lifted: true }]);
  });

  async function change(assignments: string): Promise<void> {
    await client.query(`update crn_schedule set ${assignments} where name = $1`, [NAME]);
  }

  async function rowsOf(text: string): Promise<Row[]> {
    const { rows } = await client.query<Row>(blockWith(text).text);
    return rows;
  }
});

/** The one block that has a text. */
function blockWith(text: string): CodeBlock {
  const [block, ...others] = BLOCKS.filter((candidate) => candidate.text.includes(text));
  expect(others).toEqual([]);
  if (block === undefined) {
    throw new Error(`No block of SQL has ${JSON.stringify(text)}.`);
  }
  return block;
}

function inAnHour(): Date {
  return new Date(Date.now() + 3_600_000);
}
