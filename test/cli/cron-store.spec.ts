import { userInfo } from 'node:os';
import { every, JobHandler, once } from '../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { startStoreApp, type StoreApp } from '../support/store-app.js';
import { NEVER } from '../integration/engine/support/runs.js';
import { compileProgram, cronStore, type Outcome, removeProgram } from './support/cron-store.js';

@JobHandler('report')
class ReportHandler implements JobHandler {
  execute() {
    return undefined;
  }
}

/** An ISO instant of whole seconds or milliseconds, in UTC. */
const INSTANT = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z`;

describe('cron-store', () => {
  let database: TestDatabase;
  let node: StoreApp;

  beforeAll(async () => {
    await compileProgram();
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      store: { abandonedAfter: '10m' },
      providers: [ReportHandler],
    });
  }, 120_000);

  afterAll(async () => {
    await node?.close();
    await database?.drop();
    await removeProgram();
  });

  beforeEach(async () => {
    for (const { name } of await node.manager.list()) {
      await node.manager.delete(name);
    }
    await node.manager.create({ name: 'weekly', jobName: 'report', trigger: NEVER });
  });

  /** Runs a command on the database. */
  async function run(...words: readonly string[]): Promise<Outcome> {
    return cronStore(words, { DATABASE_URL: database.url });
  }

  /** What a command prints as JSON. */
  async function json(...words: readonly string[]): Promise<unknown> {
    const { output, errors } = await run(...words, '--json');
    expect(errors).toBe('');
    return JSON.parse(output);
  }

  async function stateOf(name: string): Promise<string> {
    return (await node.manager.get(name)).schedule.state;
  }

  /** A schedule whose job no node has any more. */
  async function addOrphan(name: string): Promise<void> {
    await node.manager.create({ name, jobName: 'report', trigger: NEVER });
    await database.query(`update crn_schedule set job_name = 'gone' where name = $1`, [name]);
  }

  describe('schedules', () => {
    it('are listed for people and for programs', async () => {
      await addOrphan('stray');
      const { exitCode, output, errors } = await run('schedules', 'list');

      expect([exitCode, errors]).toEqual([0, '']);
      const [heading, stray, weekly] = output.split('\n');
      expect(heading).toMatch(/^NAME +JOB +TRIGGER +STATE +NEXT FIRE +LAST FIRE$/);
      expect(stray).toMatch(new RegExp(`^stray +gone +0 0 1 1 \\* \\(UTC\\) +armed, orphaned +${INSTANT}$`));
      expect(weekly).toMatch(new RegExp(`^weekly +report +0 0 1 1 \\* \\(UTC\\) +armed +${INSTANT}$`));
      expect(await json('schedules', 'list', '--job', 'report')).toEqual(
        await node.manager.list({ jobName: 'report' }),
      );
      expect(await json('schedules', 'orphans')).toMatchObject([{ name: 'stray', isOrphaned: true }]);
      expect((await run('schedules', 'list', '--job', 'nobody')).output).toBe(
        'There are no such schedules.\n',
      );
    });

    it('are listed with their triggers as one would write them', async () => {
      await node.manager.create({ name: 'often', jobName: 'report', trigger: every('1h30m') });
      await node.manager.create({
        name: 'then',
        jobName: 'report',
        trigger: once(new Date('2200-01-01T00:00:00Z')),
      });

      const { output } = await run('schedules', 'list');
      expect(output).toMatch(/^often +report +every 1h30m +armed /m);
      expect(output).toMatch(/^then +report +once at 2200-01-01T00:00:00Z +armed /m);
    });

    it('are shown with their next fires', async () => {
      const { exitCode, output } = await run('schedules', 'show', 'weekly');

      expect(exitCode).toBe(0);
      expect(output).toMatch(/^name +weekly$/m);
      expect(output).toMatch(new RegExp(`^createdAt +${INSTANT}$`, 'm'));
      expect(output).toMatch(new RegExp(`^nextFires +${INSTANT}(?:, ${INSTANT}){4}$`, 'm'));
      expect(await json('schedules', 'show', 'weekly')).toEqual(await node.manager.get('weekly'));
    });

    it('are paused and resumed in the name of the user', async () => {
      const paused = await run(
        'schedules',
        'pause',
        'weekly',
        '--note',
        'moving house',
        '--until',
        '2200-01-01',
      );

      expect(paused).toEqual({
        exitCode: 0,
        output: 'Paused "weekly" until 2200-01-01T00:00:00Z.\n',
        errors: '',
      });
      expect((await run('schedules', 'show', 'weekly')).output).not.toMatch(/^nextFires /m);
      expect((await node.manager.get('weekly')).schedule).toMatchObject({
        state: 'paused',
        pausedBy: `cli:${userInfo().username}`,
        pauseNote: 'moving house',
        pausedUntilUnixMs: Date.UTC(2200, 0),
      });
      const resumed = await run('schedules', 'resume', 'weekly');
      expect(resumed.output).toMatch(new RegExp(`^Resumed "weekly"; its next fire is ${INSTANT}\\.\n$`));
      expect(await stateOf('weekly')).toBe('armed');
    });

    it('say what is left of them when they are resumed', async () => {
      const at = new Date('2200-01-01T00:00:00Z');
      for (const name of ['spent', 'due']) {
        await node.manager.create({ name, jobName: 'report', trigger: once(at), enabled: false });
      }
      await database.query(
        `update crn_schedule set next_fire_at_unix_ms = null, fire_at_unix_ms = 0 where name = 'spent'`,
      );
      // Of a job that no node has, so that it stays due.
      await database.query(
        `update crn_schedule set next_fire_at_unix_ms = 0, job_name = 'gone' where name = 'due'`,
      );

      expect((await run('schedules', 'resume', 'spent')).output).toBe(
        'Resumed "spent"; it has nothing left to fire.\n',
      );
      expect((await run('schedules', 'resume', 'due')).output).toBe(
        'Resumed "due"; it has been due since 1970-01-01T00:00:00Z.\n',
      );
      await node.manager.hold({});
      expect((await run('schedules', 'resume', 'due')).output).toBe(
        'Resumed "due"; it is held, and does not fire while it is.\n',
      );
      await node.manager.release({});
    });

    it('are triggered once for a key, with params of their own', async () => {
      const words = ['schedules', 'trigger', 'weekly', '--key', 'once', '--params', '{"day":"monday"}'];
      const first = await json(...words);
      expect(first).toEqual({ requestId: expect.any(String), replayed: false });

      expect(await json(...words)).toEqual({ ...Object(first), replayed: true });
      await untilTrue('it is executed', async () => {
        const runs = await node.manager.listRuns({ scheduleName: 'weekly', statuses: ['succeeded'] });
        return runs.length === 1;
      });
      const [fired] = await node.manager.listRuns({ scheduleName: 'weekly' });
      expect((await run('runs', 'show', fired?.id ?? '')).output).toMatch(/^params +\{"day":"monday"\}$/m);
    });

    it('are triggered while they are paused only when asked to', async () => {
      await node.manager.pause('weekly');

      expect(await run('schedules', 'trigger', 'weekly')).toEqual({
        exitCode: 1,
        output: '',
        errors: 'error: The schedule "weekly" is paused; resume it before triggering it.\n',
      });
      const { exitCode, output } = await run('schedules', 'trigger', 'weekly', '--even-if-paused');
      expect([exitCode, output]).toEqual([0, expect.stringMatching(/^Requested the fire [\da-f-]{36}\.\n$/)]);
    });

    it('are removed only by who agrees', async () => {
      const refused = await run('schedules', 'remove', 'weekly');
      expect(refused).toEqual({
        exitCode: 1,
        output: '',
        errors:
          'error: This would delete the schedule "weekly", and there is no terminal to ask on: give --yes to have it done.\n',
      });
      expect(await stateOf('weekly')).toBe('armed');

      expect(await run('schedules', 'remove', 'weekly', '--yes')).toEqual({
        exitCode: 0,
        output: 'Deleted "weekly".\n',
        errors: '',
      });
      await expect(node.manager.get('weekly')).rejects.toMatchObject({ code: 2700 });
    });

    it.each(['show', 'pause', 'resume', 'trigger', 'remove'])(
      'that are not there are refused by %s',
      async (verb) => {
        expect(await run('schedules', verb, 'nobody')).toEqual({
          exitCode: 1,
          output: '',
          errors: 'error: There is no schedule named "nobody".\n',
        });
      },
    );
  });

  it('lists and shows runs, on one line each whatever they hold', async () => {
    await node.manager.create({ name: 'daily', jobName: 'report', trigger: NEVER });
    await node.manager.triggerNow('daily');
    await untilTrue('it is executed', async () => {
      const runs = await node.manager.listRuns({ scheduleName: 'daily', statuses: ['succeeded'] });
      return runs.length > 0;
    });
    const [journaled] = await node.manager.listRuns({ scheduleName: 'daily', limit: 1 });
    await database.query(`update crn_run set error = E'first\\nsecond \\x1b[31mred' where id = $1`, [
      journaled?.id,
    ]);

    const { output } = await run(
      'runs',
      'list',
      '--schedule',
      'daily',
      '--limit',
      '1',
      '--since',
      '2020-01-01',
    );
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^ID +SCHEDULE +SCHEDULED AT +ORIGIN +STATUS +REASON +ATTEMPT +MS +NODE$/),
      expect.stringMatching(
        new RegExp(`^${journaled?.id} +daily +${INSTANT} +manual +succeeded +1 +\\d+ +${journaled?.nodeId}$`),
      ),
      `Older ones: --cursor ${journaled?.id}`,
      '',
    ]);
    expect(await json('runs', 'list', '--job', 'report', '--status', 'failed', 'missed')).toEqual([]);
    expect((await run('runs', 'show', journaled?.id ?? '')).output).toMatch(
      /^error +first second +\[31mred$/m,
    );
    expect(await run('runs', 'show', 'nonsense')).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/^error: There is no run with the id .*\.\n$/),
    });
  });

  it('holds, lists what is held, and releases', async () => {
    const by = `cli:${userInfo().username}`;
    expect((await run('holds')).output).toBe('Nothing is held.\n');
    expect((await run('hold', '--note', 'the bank\nis closed', '--until', '2200-01-01')).output).toBe(
      'Held everything until 2200-01-01T00:00:00Z.\n',
    );
    expect((await run('hold', '--job', 'report')).output).toBe('Held the job "report".\n');

    const { exitCode, output } = await run('holds');
    expect(exitCode).toBe(0);
    expect(output.split('\n')).toEqual([
      expect.stringMatching(/^HELD +BY +SINCE +UNTIL +NOTE$/),
      expect.stringMatching(
        new RegExp(`^everything +${by} +${INSTANT} +2200-01-01T00:00:00Z +the bank is closed$`),
      ),
      expect.stringMatching(new RegExp(`^the job "report" +${by} +${INSTANT} +released$`)),
      '',
    ]);
    expect(await json('holds')).toEqual(await node.manager.listHolds());

    expect((await run('release')).output).toBe('Released everything.\n');
    expect((await run('release', '--job', 'report')).output).toBe('Released the job "report".\n');
    expect((await run('release')).output).toBe('There was no hold of everything.\n');
  });

  it('lists nodes', async () => {
    const { output } = await run('nodes');

    expect(output).toMatch(/^ID +STATE +VERSION +BUSY +STARTED +HEARTBEAT +JOBS\n/);
    expect(output).toMatch(
      new RegExp(`^${node.engine.status().nodeId} +alive +\\S+ +\\d+/16 .* report$`, 'm'),
    );
    expect(await json('nodes', '--abandoned-after', '10m')).toMatchObject([
      { jobNames: ['report'], isAlive: true },
    ]);
  });

  it('never becomes a node itself', async () => {
    await run('nodes');
    expect(await node.manager.listNodes()).toHaveLength(1);
  });

  describe('migrate', () => {
    it('brings a schema up to date, and says whether it is', async () => {
      const missing = await run('migrate', 'status', '--schema', 'Another one');
      expect([missing.exitCode, missing.output]).toEqual([1, '']);
      expect(missing.errors).toMatch(
        /^error: The schema "Another one" is not ready for this version .*, run `npx cron-store --schema 'Another one' migrate up`, or set `autoMigrate: true`\.\n$/,
      );

      const ready = 'The schema "Another one" is ready.\n';
      for (const verb of ['up', 'up', 'status']) {
        const outcome = await run('migrate', verb, '--schema', 'Another one');
        expect(outcome).toEqual({ exitCode: 0, output: ready, errors: '' });
      }
      expect(await json('migrate', 'status', '--schema', 'Another one')).toEqual({
        schema: 'Another one',
        isReady: true,
      });
      expect((await run('schedules', 'list', '--schema', 'Another one')).exitCode).toBe(0);
    });

    it('prints SQL that makes the same, without a database', async () => {
      const { exitCode, output } = await cronStore(['migrate', 'sql', '--schema', 'printed']);
      expect(exitCode).toBe(0);
      expect(output).toMatch(
        /^-- create schema if not exists "printed"; -- where there is none yet\n\ncreate table/,
      );

      await database.query('create schema printed');
      await database.query(output);
      expect((await run('migrate', 'status', '--schema', 'printed')).exitCode).toBe(0);
    });
  });

  it('previews an expression without a database', async () => {
    const { exitCode, output } = await cronStore([
      'preview',
      '30 2 * * mon',
      '--tz',
      'Asia/Shanghai',
      '--count',
      '2',
    ]);

    expect(exitCode).toBe(0);
    expect(output.split('\n')).toEqual([
      'At 02:30, only on Monday, Asia/Shanghai',
      expect.stringMatching(/^\d{4}-\d\d-\d\dT18:30:00Z  Monday, \d+ \w+ \d{4} at 02:30:00 GMT\+8$/),
      expect.stringMatching(/^\d{4}-\d\d-\d\dT18:30:00Z {2}Monday/),
      '',
    ]);
    expect(JSON.parse((await cronStore(['preview', '@every 90s', '--json'])).output)).toMatchObject({
      timezone: 'UTC',
      nextFiresUnixMs: Array.from({ length: 5 }, () => expect.any(Number)),
    });
    expect(await cronStore(['preview', 'bad'])).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(/^error: The cron expression "bad" has 1 field; .*\n$/),
    });
  });

  it('fails in one sentence that holds no password where the database cannot be reached', async () => {
    const { exitCode, output, errors } = await cronStore(['nodes'], {
      DATABASE_URL: 'postgres://user:secret@127.0.0.1:1/x',
    });
    expect([exitCode, output]).toEqual([1, '']);
    expect(errors).toMatch(/^error: connect ECONNREFUSED [^\n]*\n$/);
    expect(errors).not.toContain('secret');
  });

  it('shows its help and its version', async () => {
    const help = await cronStore(['--help']);
    expect([help.exitCode, help.errors]).toEqual([0, '']);
    expect(help.output).toContain('DATABASE_URL');
    expect(await cronStore(['--version'])).toMatchObject({
      exitCode: 0,
      output: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
    });
  });
});
