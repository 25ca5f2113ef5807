import { execFile } from 'node:child_process';
import { readdir, stat, utimes } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from 'pg';

const PROJECT = join(import.meta.dirname, '../../..');
const SOURCES = ['lib', 'migrations', 'test/cluster/node', 'test/cluster/tsconfig.json', 'tsconfig.json'];
const OUTPUT = join(PROJECT, 'dist/cluster/test/cluster/node');

/** The compiled program of a node. */
export const NODE_PROGRAM = join(OUTPUT, 'main.js');

/** The compiled module that moves a process's clock when it is preloaded. */
export const SHIFTED_DATE = join(OUTPUT, 'shifted-date.js');

/** Any number that no other lock of the test server has. */
const COMPILE_LOCK = 1_795_910_400;

let compiled: Promise<void> | undefined;

/**
 * Compiles the program of a node when a source is newer than the last time, once for all test files that run at the
 * same time. By the compiler itself, because dependency injection needs the metadata that only it emits.
 */
export async function compileNodeProgram(): Promise<void> {
  compiled ??= compileAlone();
  await compiled;
}

async function compileAlone(): Promise<void> {
  const client = new Client({ connectionString: process.env['TEST_DATABASE_URL'] });
  await client.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [COMPILE_LOCK]);
    const changedAtMs = await Promise.all(SOURCES.map((source) => newestIn(join(PROJECT, source))));
    if (Math.max(...changedAtMs) >= (await modifiedAt(NODE_PROGRAM))) {
      await compile();
    }
  } finally {
    await client.end();
  }
}

async function compile(): Promise<void> {
  const startedAt = new Date();
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await promisify(execFile)(process.execPath, [compiler, '-p', 'test/cluster/tsconfig.json'], {
    cwd: PROJECT,
  });
  // The compiler leaves a file alone that would not change.
  await utimes(NODE_PROGRAM, startedAt, startedAt);
}

async function newestIn(path: string): Promise<number> {
  if (!(await stat(path)).isDirectory()) {
    return modifiedAt(path);
  }
  const entries = await readdir(path, { recursive: true });
  // Folders as well: their time tells that a file was removed.
  return Math.max(...(await Promise.all(['.', ...entries].map((entry) => modifiedAt(join(path, entry))))));
}

async function modifiedAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
