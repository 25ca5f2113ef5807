import { chmod, lstat, mkdir, realpath, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, parse, relative } from 'node:path';
import { EmbeddedPostgresError } from './errors.mjs';

/** @import { Account } from './account.mjs' */

/**
 * Whether the account can get into the folder, which takes the right to enter each folder above it.
 *
 * @param {Account | undefined} account
 * @param {string} folder
 */
export async function mayEnter(account, folder) {
  if (!account) {
    return true;
  }
  for (const step of ancestors(await realpath(folder))) {
    const { mode, uid, gid } = await stat(step);
    const right = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & right) === 0) {
      return false;
    }
  }
  return true;
}

/**
 * The folder itself if the account can get into it, else one at the same path below {@link sharedFolder}. It
 * need not exist yet.
 *
 * @param {Account | undefined} account
 * @param {string} folder absolute
 */
export async function reachableFolder(account, folder) {
  const existing = await nearestExisting(folder);
  const resolved = join(await realpath(existing), relative(existing, folder));
  if (await mayEnter(account, existing)) {
    return resolved;
  }
  return join(await sharedFolder(), 'data', relative(parse(resolved).root, resolved));
}

/**
 * A folder of this user that every account can enter, for what a server started by root must be able to reach.
 * It outlives a reboot, as the data of a sample should.
 */
export async function sharedFolder() {
  const parent = process.platform === 'win32' ? tmpdir() : '/var/tmp';
  const folder = join(parent, `nestjs-cron-store-${process.getuid?.() ?? 'user'}`);
  await makeOwnFolder(folder);
  return folder;
}

/**
 * Creates a folder in a place where everybody may write. If somebody else has put one there, it could hold his
 * programs, and is refused.
 *
 * @param {string} folder absolute
 * @throws EmbeddedPostgresError if it is there already and not this user's alone
 */
export async function makeOwnFolder(folder) {
  await makeFolder(folder);
  const { uid, mode } = await lstat(folder);
  const isOwn = process.getuid === undefined || uid === process.getuid();
  if (!isOwn || (mode & 0o022) !== 0) {
    throw new EmbeddedPostgresError(
      `${folder} belongs to another user or is writable by others, so it cannot be trusted. Remove it and start again.`,
    );
  }
}

/**
 * Creates the folder and those above it that are missing. Whatever the umask, everybody may enter them: what is
 * private is the data folder inside.
 *
 * @param {string} folder absolute
 */
export async function makeFolder(folder) {
  const first = await mkdir(folder, { recursive: true });
  if (first !== undefined) {
    for (const created of ancestors(folder).filter((step) => step.length >= first.length)) {
      await chmod(created, 0o755);
    }
  }
}

/** @param {string} folder */
async function nearestExisting(folder) {
  for (const step of ancestors(folder)) {
    try {
      await stat(step);
      return step;
    } catch {
      // Not there yet, so the question goes to the folder above.
    }
  }
  return parse(folder).root;
}

/**
 * The folder and all those above it, upwards.
 *
 * @param {string} folder absolute
 */
function ancestors(folder) {
  const steps = [folder];
  for (let step = folder; step !== dirname(step); step = dirname(step)) {
    steps.push(dirname(step));
  }
  return steps;
}
