import { userInfo } from 'node:os';
import { runCli } from '../../../lib/cli/run-cli.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { NEVER } from '../engine/support/runs.js';
import { job } from '../engine/support/jobs.js';
import { audited, EnvironmentApps, storedEnvironment } from './support/environment-apps.js';

/** What a command wrote, and how it ended. */
interface Outcome {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

const REFUSED =
  'error: The schedules in this database belong to the environment "production", and this command was given none: ' +
  'add --environment production, or set the variable CRON_STORE_ENVIRONMENT.\n';

describe('the command line on a store of an environment', () => {
  const apps = new EnvironmentApps();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
    const node = await apps.start(database, { environment: 'production' }, [job('work', () => undefined)]);
    await node.manager.create({ name: 'yearly', jobName: 'work', trigger: NEVER });
  });

  afterEach(async () => {
    await apps.closeAll();
    await database.drop();
  });

  /** Runs a command in this process. @param answer what a person says when asked; nobody is there without one. */
  async function run(words: readonly string[], variables = {}, answer?: string): Promise<Outcome> {
    let [output, errors] = ['', ''];
    const exitCode = await runCli(words, {
      environment: { DATABASE_URL: database.url, ...variables },
      terminal: {
        isInteractive: answer !== undefined,
        write: (text) => {
          output += text;
        },
        writeError: (text) => {
          errors += text;
        },
        ask: async (question) => {
          errors += question;
          return answer ?? '';
        },
      },
    });
    return { exitCode, output, errors };
  }

  it('is refused where it declares none', async () => {
    expect(await run(['schedules', 'list'])).toEqual({ exitCode: 1, output: '', errors: REFUSED });
    expect(await run(['schedules', 'list', '--no-environment'])).toMatchObject({ errors: REFUSED });
  });

  it('works where it declares the same, as an option or in a variable', async () => {
    expect(await run(['schedules', 'list', '--environment', 'production'])).toMatchObject({ exitCode: 0 });
    expect(await run(['nodes'], { CRON_STORE_ENVIRONMENT: 'production' })).toMatchObject({ exitCode: 0 });
    expect(await run(['nodes', '--environment', 'not one'])).toEqual({
      exitCode: 2,
      output: '',
      errors:
        "error: environment must be the name of an environment such as 'production', of 1 to 63 letters, digits, '.', '_' and '-', but is 'not one'.\n",
    });
  });

  it.each(['up', 'status'])('migrates whosever the store is: %s', async (verb) => {
    expect(await run(['migrate', verb])).toEqual({
      exitCode: 0,
      output: 'The schema "public" is ready.\n',
      errors: '',
    });
  });

  it('takes over for who says for whom, and holds until it releases', async () => {
    await apps.closeAll();
    expect(await run(['take-over'])).toMatchObject({
      exitCode: 2,
      errors: expect.stringMatching(/^error: Say whose the store is to be, .*\n$/),
    });
    expect(await run(['take-over', '--environment', 'staging'])).toEqual({
      exitCode: 0,
      output:
        'The store belongs to "staging" now, and no longer to "production". Everything is held until it is released.\n',
      errors: '',
    });
    expect(await storedEnvironment(database)).toBe('staging');
    expect(await audited(database, 'take_over')).toMatchObject([{ actor_id: `cli:${userInfo().username}` }]);
    expect(await run(['take-over', '--environment', 'staging'])).toMatchObject({
      output: 'The store belongs to "staging" already; nothing was changed.\n',
    });
    const released = await run(['release', '--environment', 'staging']);
    expect(released).toEqual({ exitCode: 0, output: 'Released everything.\n', errors: '' });
    expect(await run(['release', '--environment', 'staging'])).toMatchObject({
      output: 'There was no hold of everything.\n',
    });
  });

  it('takes over for nobody, and holds nothing where it is told to', async () => {
    await apps.closeAll();
    expect(await run(['take-over', '--no-environment', '--release'])).toMatchObject({
      exitCode: 0,
      output: 'The store belongs to no environment now, and no longer to "production". What is due fires.\n',
    });
    expect(await database.query('select from crn_hold')).toEqual([]);
    expect(JSON.parse((await run(['take-over', '--environment', 'qa', '--json'])).output)).toEqual({
      isTakenOver: true,
      environment: 'qa',
      isHeld: true,
    });
  });

  it('asks before it stops nodes that are alive', async () => {
    const words = ['take-over', '--environment', 'staging'];
    expect(await run(words)).toMatchObject({
      exitCode: 1,
      errors: expect.stringMatching(
        /^error: This would keep the nodes that are alive from claiming if they are of another environment \(1, on .*\), and there is no terminal to ask on: give --yes to have it done\.\n$/,
      ),
    });
    expect(await run(words, {}, 'n')).toMatchObject({ exitCode: 1 });
    expect(await storedEnvironment(database)).toBe('production');

    expect(await run(words, {}, 'y')).toMatchObject({ exitCode: 0 });
    expect(await storedEnvironment(database)).toBe('staging');
    expect(await run([...words, '--yes'])).toMatchObject({ exitCode: 0 });
  });

  it('holds and releases one job', async () => {
    const environment = ['--environment', 'production'];
    expect(await run(['hold', '--job', 'work', '--note', 'moving', ...environment])).toMatchObject({
      output: 'Held the job "work".\n',
    });
    expect(await database.query('select job_name, note from crn_hold')).toEqual([
      { job_name: 'work', note: 'moving' },
    ]);
    expect(await run(['release', '--job', 'work', ...environment])).toMatchObject({
      output: 'Released the job "work".\n',
    });
  });
});
