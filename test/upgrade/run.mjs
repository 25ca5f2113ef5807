// `npm run test:upgrade`, from the pinned version; `npm run test:upgrade -- --from <ref>`, from any commit.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packRef } from './support/pack-ref.mjs';

const PROJECT = join(import.meta.dirname, '../..');

const { from } = parseArgs({ options: { from: { type: 'string' } } }).values;
const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-from-'));
try {
  if (from !== undefined) {
    process.env.UPGRADE_FROM = await packRef(from, folder);
  }
  const compiler = createRequire(import.meta.url).resolve('typescript/bin/tsc');
  await run(process.execPath, [compiler, '-p', 'test/upgrade/tsconfig.json']);
  await run('npm', ['test', '--', '--config', 'test/upgrade/jest.config.mjs']);
} finally {
  await rm(folder, { recursive: true, force: true });
}

/**
 * Runs a program; where it fails, this one fails too, and does nothing more.
 *
 * @param {string} program
 * @param {readonly string[]} parameters
 */
async function run(program, parameters) {
  if (process.exitCode) {
    return;
  }
  const child = spawn(program, parameters, { cwd: PROJECT, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  process.exitCode = code ?? 1;
}
