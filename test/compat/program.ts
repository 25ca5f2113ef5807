import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface ProgramOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** After this long it counts as failed. */
  readonly deadlineMs: number;
  /** Ends it early. */
  readonly signal: AbortSignal;
}

/** How a program ended. */
export interface Ending {
  readonly hasSucceeded: boolean;
  /** Everything that it said. */
  readonly output: string;
}

/** Runs a program to its end, as if nobody's script had started it, together with whatever it starts itself. */
export async function runProgram(
  program: string,
  args: readonly string[],
  { cwd, env = {}, deadlineMs, signal }: ProgramOptions,
): Promise<Ending> {
  signal.throwIfAborted();
  const child = spawn(program, args, {
    cwd,
    env: { ...ownEnvironment(), ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => output.push(text));
  }
  const limit = AbortSignal.any([signal, AbortSignal.timeout(deadlineMs)]);
  const kill = () => process.kill(-Number(child.pid), 'SIGKILL');
  limit.addEventListener('abort', kill);
  await once(child, 'close');
  limit.removeEventListener('abort', kill);
  signal.throwIfAborted();
  if (limit.aborted) {
    output.push(`\nIt did not end within ${deadlineMs / 1_000} s.`);
  }
  return { hasSucceeded: child.exitCode === 0, output: output.join('') };
}

function ownEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_OPTIONS$|NODE_ENV$)/.test(name)),
  );
}
