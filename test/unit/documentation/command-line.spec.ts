import type { Command } from 'commander';
import { createProgram } from '../../../lib/cli/program.js';
import { runCli } from '../../../lib/cli/run-cli.js';
import type { Terminal } from '../../../lib/cli/terminal.js';
import { every, JobHandlerRegistry } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { codeBlocksOf, MANUAL, page } from './support/manual.js';
import { commandsIn } from './support/shell.js';
import { codes } from './support/table.js';

const GROUPS = new Set(
  createProgram({ environment: {}, terminal: recordingTerminal() })
    .commands.filter(({ commands }) => commands.length > 0)
    .map((command) => command.name()),
);

/** What stands for the id of a run. */
const RUN_ID = /^<(?:run-?id|id)>$/i;

it('explains every command', () => {
  const program = createProgram({ environment: {}, terminal: recordingTerminal() });
  expect(codes(page('command-line').tableIn('The command line', 'Command'), 'Command').toSorted()).toEqual(
    commandsOf(program).toSorted(),
  );
});

describe('every command of the manual', () => {
  const commands = shownCommands();
  const stores = new Map<string, StoreApp>();
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    for (const schema of new Set(['public', ...commands.map(schemaOf)])) {
      stores.set(schema, await startStore(schema));
    }
  });

  afterAll(async () => {
    for (const store of stores.values()) {
      await store.close();
    }
    await database.drop();
  });

  it.each(commands.map((words) => ({ words, line: words.join(' ') })))(
    'cron-store $line',
    async ({ words }) => {
      const store = stores.get(schemaOf(words));
      const schedules = schedulesIn(words);
      for (const name of schedules) {
        await store?.manager.create({ name, jobName: 'work', trigger: every('1h') });
      }
      const runId = await store?.manager.listRuns({ limit: 1 }).then(([run]) => run?.id);
      const terminal = recordingTerminal();
      const code = await runCli(
        words.map((word) => (RUN_ID.test(word) ? String(runId) : word)),
        { environment: { DATABASE_URL: database.url }, terminal },
      );
      expect([code, terminal.faults]).toEqual([0, '']);
      for (const name of schedules) {
        await store?.manager.delete(name).catch(() => undefined);
      }
    },
  );

  /** A node with a run in its journal. */
  async function startStore(schema: string): Promise<StoreApp> {
    const store = await startStoreApp({
      url: database.url,
      store: { schema },
      providers: [
        {
          provide: 'jobs',
          inject: [JobHandlerRegistry],
          useFactory: (registry: JobHandlerRegistry) =>
            registry.register({ name: 'work', execute: () => undefined }),
        },
      ],
    });
    await store.manager.create({ name: 'first', jobName: 'work', trigger: every('1h') });
    await store.manager.triggerNow('first');
    await untilTrue('a run is over', async () => {
      const runs = await store.manager.listRuns({ statuses: ['succeeded'] });
      return runs.length > 0;
    });
    return store;
  }
});

/** What follows the name of the program, wherever the manual shows it: in blocks of shell and within sentences. */
function shownCommands(): readonly (readonly string[])[] {
  const blocks = codeBlocksOf(MANUAL, 'sh').map(({ text }) => text);
  const inSentences = MANUAL.flatMap((of) => of.inlineCode).filter((code) =>
    code.startsWith('npx cron-store '),
  );
  const found = [...blocks, ...inSentences]
    .flatMap(commandsIn)
    .filter(({ words: [npx, program] }) => npx === 'npx' && program === 'cron-store')
    .map(({ words }) => words.slice(2))
    // A sentence may name a group of commands.
    .map((words) => (GROUPS.has(words.join(' ')) ? words.concat('--help') : words));
  return [...new Map(found.map((words) => [words.join('\0'), words])).values()];
}

function schemaOf(words: readonly string[]): string {
  return valueOf(words, '--schema') ?? 'public';
}

/** The schedules that a command is about. */
function schedulesIn(words: readonly string[]): readonly string[] {
  const group = words.indexOf('schedules');
  const named = /^(?:show|pause|resume|trigger|remove)$/.test(words[group + 1] ?? '')
    ? [words[group + 2]]
    : [];
  return [...named, valueOf(words, '--schedule')].filter((name) => name !== undefined);
}

function valueOf(words: readonly string[], option: string): string | undefined {
  const index = words.indexOf(option);
  return index === -1 ? undefined : words[index + 1];
}

/** The words of every command that does something. */
function commandsOf({ commands }: Command): readonly string[] {
  return commands.flatMap((command) => {
    const inner = commandsOf(command);
    return inner.length === 0 ? [command.name()] : inner.map((name) => `${command.name()} ${name}`);
  });
}

/** Says yes to whatever is asked, and keeps what it is told to complain of. */
function recordingTerminal(): Terminal & { faults: string } {
  return {
    isInteractive: true,
    faults: '',
    write: () => undefined,
    writeError(text) {
      this.faults += text;
    },
    ask: () => Promise.resolve('y'),
  };
}
