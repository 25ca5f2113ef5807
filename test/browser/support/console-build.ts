import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = join(import.meta.dirname, '../../..');
/** The browser takes single files of other rooms and of those beside them. */
const SOURCES = 'lib';

/**
 * Builds the console from the sources as they are, unless it was built from the same before.
 *
 * @returns the folder of the build.
 */
export async function buildConsole(): Promise<string> {
  const builds = join(PROJECT, '.data', 'console');
  const folder = join(builds, await fingerprint());
  if (!existsSync(folder)) {
    await mkdir(builds, { recursive: true });
    const unfinished = await mkdtemp(join(builds, 'unfinished-'));
    const vite = join(PROJECT, 'node_modules/vite/bin/vite.js');
    await promisify(execFile)(
      process.execPath,
      [vite, 'build', 'lib/console/ui', '--outDir', unfinished, '--logLevel', 'warn'],
      { cwd: PROJECT, env: { ...process.env, NODE_ENV: 'production' } },
    );
    // Another process may have been as fast, with the same result.
    await rename(unfinished, folder).catch(() => undefined);
  }
  return folder;
}

async function fingerprint(): Promise<string> {
  const hash = createHash('sha256');
  const entries = await readdir(join(PROJECT, SOURCES), { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const file of files.toSorted()) {
    hash.update(file).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 16);
}
