import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';

const PROJECT = join(import.meta.dirname, '..', '..');

/** Inside the project, where the program finds its packages. */
const OUTPUT = join(PROJECT, '.data', 'test', 'engine');

/** The program of the worker thread for heartbeats, and what it imports. */
const MODULES = [
  'heartbeat/heartbeat-worker',
  'heartbeat/heartbeat-connection',
  'heartbeat/heartbeat-silence',
  'timing/long-timer',
];

/** Compiles the program of the worker thread, which Node starts by itself, without what transforms the other sources. */
export async function compileHeartbeatProgram() {
  await Promise.all(MODULES.map(compile));
}

/** @param {string} name */
async function compile(name) {
  const source = await readFile(join(PROJECT, 'lib', 'engine', `${name}.ts`), 'utf8');
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  // Another run may be starting a thread at this moment.
  const file = join(OUTPUT, `${name}.js`);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(`${file}.${process.pid}`, outputText);
  await rename(`${file}.${process.pid}`, file);
}
