import { readFile } from 'node:fs/promises';
import { errorCode } from './error-code.mjs';

/**
 * Whether a process with this id exists, whoever it belongs to.
 *
 * @param {number} pid
 */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) === 'EPERM';
  }
}

/**
 * Whether the process is the PostgreSQL server of the folder, and not another one that was given the id of a
 * server that died (ids repeat soon after a container has restarted), nor a dead server that nobody has waited
 * for. Where the system does not tell the command line of a process, any living one counts.
 *
 * @param {number} pid
 * @param {string} dataFolder as it was given to the server
 */
export async function isServerOf(pid, dataFolder) {
  if (!isAlive(pid)) {
    return false;
  }
  if (process.platform !== 'linux') {
    return true;
  }
  try {
    return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).split('\0').includes(dataFolder);
  } catch {
    return false;
  }
}
