import { mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errorCode } from './error-code.mjs';
import { isAlive } from './processes.mjs';

const STAGING = '.new-';
const ALREADY_THERE = new Set(/** @type {unknown[]} */ (['ENOTEMPTY', 'EEXIST']));

/**
 * Makes a folder that is either complete or not there, even if this process is killed meanwhile. When several
 * processes make the same one, the first to finish wins and the others use its folder.
 *
 * @param {string} folder absolute; its parent exists
 * @param {(staging: string) => Promise<void>} fill puts the content into a private, empty folder
 */
export async function makeFolderAtOnce(folder, fill) {
  await removeAbandoned(folder);
  const staging = await mkdtemp(`${folder}${STAGING}${process.pid}-`);
  try {
    await fill(staging);
    await rename(staging, folder);
  } catch (error) {
    await rm(staging, { recursive: true, force: true });
    if (!ALREADY_THERE.has(errorCode(error))) {
      throw error;
    }
  }
}

/**
 * What processes left behind that were killed on the way.
 *
 * @param {string} folder
 */
async function removeAbandoned(folder) {
  const prefix = basename(folder) + STAGING;
  for (const name of await readdir(dirname(folder))) {
    if (name.startsWith(prefix) && !isAlive(Number.parseInt(name.slice(prefix.length), 10))) {
      await rm(join(dirname(folder), name), { recursive: true, force: true });
    }
  }
}
