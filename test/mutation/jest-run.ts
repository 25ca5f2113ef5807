import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** After this long a run that does not end counts as red: the change made something wait for ever. */
const DEADLINE_MS = 10 * 60_000;

/** Tests of one file. */
export interface Selection {
  /** From the root of the project. */
  readonly spec: string;
  /** Their titles, or parts of them. */
  readonly tests: readonly string[];
}

/** What tests said. */
export type Verdict =
  | { readonly kind: 'green' }
  | { readonly kind: 'red'; readonly failed: readonly string[] }
  /** Not all of them could say anything. */
  | { readonly kind: 'broken'; readonly output: string };

/** How a test ended. */
interface Result {
  readonly fullName: string;
  readonly status: string;
}

/** Runs tests in a folder, up to the first that fails. */
export async function runTests(folder: string, selection: Selection): Promise<Verdict> {
  const reportFile = join(folder, 'mutation-report.json');
  await rm(reportFile, { force: true });
  const child = spawn(process.execPath, jestArguments(selection), {
    cwd: folder,
    env: { ...process.env, MUTATION_REPORT: reportFile },
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const output: string[] = [];
  child.stderr.on('data', (text: Buffer) => output.push(String(text)));
  let isOverdue = false;
  const deadline = setTimeout(() => {
    isOverdue = true;
    process.kill(-Number(child.pid), 'SIGKILL');
  }, DEADLINE_MS);
  await once(child, 'close');
  clearTimeout(deadline);
  return isOverdue
    ? { kind: 'red', failed: [`${selection.spec} does not end`] }
    : verdictOf(await resultsIn(reportFile), selection, output.join(''));
}

function jestArguments({ spec, tests }: Selection): string[] {
  const pattern = tests.map((test) => test.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`)).join('|');
  return [
    '--experimental-vm-modules',
    'node_modules/jest/bin/jest.js',
    spec,
    '--bail',
    '--forceExit',
    '--testNamePattern',
    pattern,
    '--reporters',
    'default',
    '--reporters',
    './test/mutation/reporter.mjs',
  ];
}

/** A test that failed is red, whatever became of its process afterwards: it may have left open what it had no time to close. */
function verdictOf(results: readonly Result[], { tests }: Selection, output: string): Verdict {
  const named = (status: string) =>
    results.filter((result) => result.status === status).map(({ fullName }) => fullName);
  const [failed, passed] = [named('failed'), named('passed')];
  if (failed.length > 0) {
    return { kind: 'red', failed };
  }
  return tests.every((test) => passed.some((name) => name.includes(test)))
    ? { kind: 'green' }
    : { kind: 'broken', output };
}

async function resultsIn(file: string): Promise<readonly Result[]> {
  try {
    const lines = (await readFile(file, 'utf8')).trim().split('\n');
    return lines.map((line) => JSON.parse(line) as Result);
  } catch {
    return [];
  }
}
