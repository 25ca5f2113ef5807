import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Where and with what a program runs. */
export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Runs a program to its end.
 *
 * @returns what it printed.
 * @throws Error with everything that it said, when it failed.
 */
export async function run(
  program: string,
  args: readonly string[],
  { cwd, env = {} }: RunOptions,
): Promise<string> {
  const child = spawn(program, args, { cwd, env: { ...ownEnvironment(), ...env }, stdio: 'pipe' });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  child.stdin.end();
  await once(child, 'close');
  if (child.exitCode !== 0) {
    throw new Error(
      `${program} ${args.join(' ')} ended with ${child.exitCode ?? child.signalCode}:\n${output}${errors}`,
    );
  }
  return output;
}

/** Without what npm and the test runner tell the programs that they start: this one is started by nobody. */
function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_OPTIONS$|NODE_ENV$|JEST_)/.test(name)),
  );
}
