import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { PROJECT } from './project.mjs';

/** Has a name of its own, apart from `dist`, so that a build of the package does not pull it from under a sample. */
const OUTPUT = join(PROJECT, '.data', 'build');

/**
 * Inside the output, the name of the package is what was built from this source, so that a sample imports the package
 * as any application does.
 */
const PACKAGE = { name: 'nestjs-cron-store', type: 'module', exports: './lib/index.js' };

/**
 * Compiles the samples with the package; quickly, when little has changed since the last time.
 *
 * @param {AbortSignal} stop
 * @returns {Promise<string>} the folder of the output
 * @throws Error if something does not compile; the compiler has said what
 */
export async function build(stop) {
  await mkdir(OUTPUT, { recursive: true });
  await writeFile(join(OUTPUT, 'package.json'), JSON.stringify(PACKAGE));
  const compiler = join(dirname(createRequire(import.meta.url).resolve('typescript')), 'tsc.js');
  const child = spawn(process.execPath, [compiler, '-p', join(PROJECT, 'sample')], { stdio: 'inherit' });
  const onStop = () => child.kill();
  stop.addEventListener('abort', onStop);
  const [code] = await once(child, 'exit');
  stop.removeEventListener('abort', onStop);
  stop.throwIfAborted();
  if (code !== 0) {
    throw new Error('the samples do not compile, see above.');
  }
  return OUTPUT;
}
