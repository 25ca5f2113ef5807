// Installs the peers, builds the package and the benchmark, and runs it on a server of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '../../sample/support/embedded-postgres/start.mjs';

const FOLDER = import.meta.dirname;
const OUTPUT = join(FOLDER, 'dist');
const LOCK_FILE = join(FOLDER, 'package-lock.json');
/** Written by npm when it has installed. */
const INSTALLED = join(FOLDER, 'node_modules', '.package-lock.json');

if ((await timeOf(INSTALLED)) < (await timeOf(LOCK_FILE))) {
  await run('npm', ['ci', '--no-audit', '--no-fund', '--ignore-scripts', '--loglevel=error']);
}
const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
await run(process.execPath, [compiler, '-p', FOLDER]);
// Inside the output the name of the package is what was just built.
const { name, version } = JSON.parse(await readFile(join(FOLDER, '../../package.json'), 'utf8'));
const manifest = { name, version, type: 'module', exports: { '.': './lib/index.js' } };
await writeFile(join(OUTPUT, 'package.json'), JSON.stringify(manifest));

// Durability, memory and everything else as PostgreSQL has it by default. The library counts statements for every
// contestant alike.
const server = await startEmbeddedPostgres({
  dataFolder: join(tmpdir(), `nestjs-cron-store-bench-${process.pid}`),
  settings: { shared_preload_libraries: 'pg_stat_statements' },
  log: () => undefined,
});
process.env.BENCH_DATABASE_URL = server.url;
try {
  await run(process.execPath, [join(OUTPUT, 'test/bench/main.js'), ...process.argv.slice(2)]);
} finally {
  await server.stop();
  await rm(server.dataFolder, { recursive: true, force: true });
}

/**
 * @param {string} program
 * @param {readonly string[]} parameters
 */
async function run(program, parameters) {
  const child = spawn(program, parameters, { cwd: FOLDER, stdio: 'inherit' });
  const stop = () => child.kill('SIGTERM');
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const [code] = await once(child, 'exit');
  process.off('SIGINT', stop).off('SIGTERM', stop);
  if (code !== 0) {
    throw new Error(`${program} ${parameters[0]} ended with ${code}.`);
  }
}

/** @param {string} path */
async function timeOf(path) {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return 0;
  }
}
