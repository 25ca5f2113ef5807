import { runCli } from '../../lib/cli/run-cli.js';

/** How a command ended. */
export interface EndedCommand {
  readonly exitCode: number;
  /** What it wrote of what went wrong. */
  readonly errors: string;
}

/** Runs a command of the command line on a database, as a script would: with nobody to ask. */
export async function runCommand(databaseUrl: string, words: readonly string[]): Promise<EndedCommand> {
  let errors = '';
  const exitCode = await runCli([...words], {
    environment: { DATABASE_URL: databaseUrl },
    terminal: {
      isInteractive: false,
      write: () => undefined,
      writeError: (text) => {
        errors += text;
      },
      ask: () => Promise.resolve(''),
    },
  });
  return { exitCode, errors };
}
