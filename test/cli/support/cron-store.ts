import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = join(import.meta.dirname, '../../..');

/** Inside of the project, where its dependencies are found; one for each process, so that test runs do not disturb each other. */
const OUTPUT = join(PROJECT, 'dist/cli', String(process.pid));

/** What a process wrote, and how it ended. */
export interface Outcome {
  readonly exitCode: number;
  readonly output: string;
  readonly errors: string;
}

/** Compiles the program, by the compiler itself: dependency injection needs the metadata that only it emits. */
export async function compileProgram(): Promise<void> {
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(
    process.execPath,
    [compiler, '-p', 'test/cli/tsconfig.json', '--outDir', OUTPUT],
    {
      cwd: PROJECT,
    },
  );
}

export async function removeProgram(): Promise<void> {
  await rm(OUTPUT, { recursive: true, force: true });
}

/** Runs the program as a process of its own, without a terminal. */
export async function cronStore(
  words: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> {
  const { DATABASE_URL: _, ...inherited } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      process.execPath,
      [join(OUTPUT, 'lib/cli/main.js'), ...words],
      { env: { ...inherited, NODE_OPTIONS: '', ...environment } },
      (error, output, errors) => resolve({ exitCode: exitCodeOf(error), output, errors }),
    );
    child.stdin?.end();
  });
}

function exitCodeOf(error: Error | null): number {
  if (error === null) {
    return 0;
  }
  return 'code' in error && typeof error.code === 'number' ? error.code : -1;
}
