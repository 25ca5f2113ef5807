import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile, stat, utimes, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PROJECT } from './project.mjs';

/** Has a place of its own, apart from `dist`, so that a build of the package does not pull it from under a sample. */
const OUTPUT = join(PROJECT, '.data', 'build');

/** What the output is made from; a folder with all that is in it. */
const SOURCES = ['lib', 'migrations', 'sample', 'tsconfig.json', 'package.json', 'package-lock.json'];

/** Written last, so that it also says from when the output is. */
const MANIFEST = join(OUTPUT, 'package.json');

/**
 * Compiles the samples together with the package, unless nothing has changed since the last time.
 *
 * @param {AbortSignal} stop
 * @returns {Promise<string>} the folder of the output
 * @throws Error if something does not compile; the compiler has said what
 */
export async function build(stop) {
  const startedAt = new Date();
  if ((await newestSource()) < (await timeOf(MANIFEST))) {
    return OUTPUT;
  }
  await compile(stop);
  await buildConsole(stop);
  await writeFile(MANIFEST, JSON.stringify(await manifest()));
  // What is edited while the compiler runs is newer than the output.
  await utimes(MANIFEST, startedAt, startedAt);
  return OUTPUT;
}

/**
 * Inside the output, the name of the package is what was built from this source, so that a sample imports the package
 * as any application does, and the package finds its own manifest.
 */
async function manifest() {
  const { name, version } = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8'));
  const exports = { '.': './lib/index.js', './package.json': './package.json' };
  return { name, version, type: 'module', exports };
}

/** @param {AbortSignal} stop */
async function compile(stop) {
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript')), 'tsc.js');
  await run([compiler, '-p', join(PROJECT, 'sample')], stop, 'the samples do not compile, see above.');
}

/** @param {AbortSignal} stop */
async function buildConsole(stop) {
  const vite = join(PROJECT, 'node_modules', 'vite', 'bin', 'vite.js');
  const source = join(PROJECT, 'lib', 'console', 'ui');
  const target = join(OUTPUT, 'lib', 'console', 'static');
  const options = ['--outDir', target, '--logLevel', 'warn'];
  await run([vite, 'build', source, ...options], stop, 'the console cannot be built, see above.');
}

/**
 * @param {readonly string[]} program with its arguments
 * @param {AbortSignal} stop
 * @param {string} fault what to say when it fails
 */
async function run(program, stop, fault) {
  const child = spawn(process.execPath, program, { stdio: 'inherit' });
  const onStop = () => child.kill();
  stop.addEventListener('abort', onStop);
  const [code] = await once(child, 'exit');
  stop.removeEventListener('abort', onStop);
  stop.throwIfAborted();
  if (code !== 0) {
    throw new Error(fault);
  }
}

async function newestSource() {
  const files = await Promise.all(SOURCES.map((source) => filesOf(join(PROJECT, source))));
  return Math.max(...(await Promise.all(files.flat().map(timeOf))));
}

/** @param {string} source */
async function filesOf(source) {
  const isFolder = (await stat(source)).isDirectory();
  const names = isFolder ? await readdir(source, { recursive: true }) : [];
  return [source, ...names.map((name) => join(source, name))];
}

/**
 * When a file was changed, or what is in a folder; 0 when it does not exist.
 *
 * @param {string} path
 */
async function timeOf(path) {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
