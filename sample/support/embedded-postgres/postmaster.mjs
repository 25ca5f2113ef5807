import { readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { run } from './command.mjs';
import { errorFromReport } from './errors.mjs';
import { isServerOf } from './processes.mjs';

/** @import { Account } from './account.mjs' */

const STOP_DEADLINE_MS = 60_000;
const POLL_DELAY_MS = 20;

/**
 * @typedef {object} Postmaster
 * @property {number} pid
 * @property {number} port
 */

/**
 * The server that runs on the data folder, whichever process has started it. The lock file of one that was
 * killed is removed: when its process id has been given to another process meanwhile, PostgreSQL would take
 * that for the server and refuse to start.
 *
 * @param {string} dataFolder
 * @returns {Promise<Postmaster | undefined>}
 */
export async function runningPostmaster(dataFolder) {
  const lockFile = join(dataFolder, 'postmaster.pid');
  const content = await read(lockFile);
  if (content === '') {
    return undefined;
  }
  const [pid, , , port] = content.split('\n').map(Number);
  if (pid && port && (await isServerOf(pid, dataFolder))) {
    return { pid, port };
  }
  // Another process may have started the server anew in between, and then the file is its.
  if ((await read(lockFile)) === content) {
    await rm(lockFile, { force: true });
  }
  return undefined;
}

/**
 * Starts a server that outlives this process: it belongs to no terminal, so Ctrl-C stops the application alone,
 * which can still use the database while it shuts down.
 *
 * @param {object} server
 * @param {string} server.pgCtl
 * @param {string} server.dataFolder
 * @param {Account | undefined} server.account
 * @param {number} server.port
 * @returns {Promise<{ started: true } | { started: false, report: string }>}
 */
export async function startPostmaster({ pgCtl, dataFolder, account, port }) {
  const logFile = join(dataFolder, 'server.log');
  const logged = await sizeOf(logFile);
  const parameters = ['start', '--silent', '--wait', '-D', dataFolder, '-l', logFile, '-o', `-p ${port}`];
  const { succeeded, report } = await run(pgCtl, parameters, account);
  if (succeeded) {
    return { started: true };
  }
  return { started: false, report: (await read(logFile, logged)) + report };
}

/**
 * Ends the sessions and stops the server, if one runs, with everything committed on disk.
 *
 * @param {object} server
 * @param {string} server.pgCtl
 * @param {string} server.dataFolder
 * @param {Account | undefined} server.account
 * @throws EmbeddedPostgresError if it does not end
 */
export async function stopPostmaster({ pgCtl, dataFolder, account }) {
  const stopped = await runningPostmaster(dataFolder);
  if (!stopped) {
    return;
  }
  const parameters = ['stop', '--silent', '--no-wait', '--mode=fast', '-D', dataFolder];
  const { report } = await run(pgCtl, parameters, account);
  // Not left to pg_ctl: when another process starts a new server at once, it would wait for that one to end.
  const deadline = AbortSignal.timeout(STOP_DEADLINE_MS);
  while ((await runningPostmaster(dataFolder))?.pid === stopped.pid) {
    if (deadline.aborted) {
      throw await errorFromReport(
        `The PostgreSQL server (process ${stopped.pid}) does not stop`,
        report,
        dataFolder,
      );
    }
    await delay(POLL_DELAY_MS);
  }
}

/**
 * @param {string} file
 * @param {number} [from] byte to start at
 */
async function read(file, from = 0) {
  try {
    return (await readFile(file)).subarray(from).toString();
  } catch {
    return '';
  }
}

/** @param {string} file */
async function sizeOf(file) {
  try {
    return (await stat(file)).size;
  } catch {
    return 0;
  }
}
