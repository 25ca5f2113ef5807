import { runCli } from '../../../lib/cli/run-cli.js';

/** Runs a command without a terminal, and keeps what it writes. */
async function run(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  let output = '';
  let errors = '';
  const exitCode = await runCli(words, {
    environment,
    terminal: {
      isInteractive: false,
      write: (text) => void (output += text),
      writeError: (text) => void (errors += text),
      ask: async () => '',
    },
  });
  return { exitCode, output, errors };
}

describe('a command that is not understood', () => {
  const environment = { DATABASE_URL: 'postgres://127.0.0.1:1/x' };

  it.each([
    ['nothing', [], /^Usage: cron-store/],
    ['an unknown command', ['shedules'], /^error: unknown command 'shedules'/],
    ['half a command', ['schedules'], /^Usage: cron-store schedules/],
    ['an unknown option', ['nodes', '--foo'], /^error: unknown option '--foo'\n$/],
    ['too few arguments', ['schedules', 'pause'], /^error: missing required argument 'name'\n$/],
    ['too many arguments', ['nodes', 'all'], /^error: too many arguments/],
    ['a bad time', ['schedules', 'pause', 'x', '--until', 'soon'], /Give a time such as/],
    ['digits that are no Unix ms', ['runs', 'list', '--since', '20260115'], /Give a time such as/],
    ['bad JSON', ['schedules', 'trigger', 'x', '--params', '{'], /Give valid JSON/],
    ['a bad number', ['preview', '@daily', '--count', '0'], /Give a whole number of at least 1/],
    ['a number that is too large', ['runs', 'list', '--limit', '1001'], /Give a whole number from 1 to 1000/],
    ['a cursor that is no run', ['runs', 'list', '--cursor', 'nightly'], /Give the id of a run/],
    ['a bad status', ['runs', 'list', '--status', 'asleep'], /Allowed choices are running, succeeded/],
    ['a bad schema', ['nodes', '--schema', 'pg_x'], /^error: schema must be [^\n]*\n$/],
    ['a bad schema to print', ['migrate', 'sql', '--schema', ''], /^error: schema must be [^\n]*\n$/],
    ['a bad duration', ['nodes', '--abandoned-after', 'soon'], /^error: abandonedAfter must be [^\n]*\n$/],
  ])('has %s', async (_, words, errors) => {
    expect(await run(words, environment)).toEqual({
      exitCode: 2,
      output: '',
      errors: expect.stringMatching(errors),
    });
  });

  it.each<[string, Record<string, string>]>([
    ['no DATABASE_URL', {}],
    ['one that is none', { DATABASE_URL: 'localhost' }],
    ['one of another kind of database', { DATABASE_URL: 'mysql://root:secret@localhost/x' }],
  ])('has %s', async (_, given) => {
    expect(await run(['nodes'], given)).toEqual({
      exitCode: 2,
      output: '',
      errors: expect.stringMatching(/^error: Set the environment variable DATABASE_URL to [^\n]*\n$/),
    });
  });
});

describe('a command that asks for help', () => {
  it.each([
    [['--help'], /DATABASE_URL/],
    [['schedules', '--help'], /orphans/],
    [['help', 'runs'], /journal/],
    [['--version'], /^\d+\.\d+\.\d+\n$/],
  ])('%p is answered', async (words, output) => {
    expect(await run(words)).toEqual({ exitCode: 0, output: expect.stringMatching(output), errors: '' });
  });
});
