import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { EmbeddedPostgresError, errorFromReport } from './errors.mjs';
import { Lease } from './lease.mjs';
import { runningPostmaster, startPostmaster, stopPostmaster } from './postmaster.mjs';

/** @import { Account } from './account.mjs' */

const ANSWER_DEADLINE_MS = 60_000;
const START_ATTEMPTS = 20;
const RETRY_DELAY_MS = 50;

/**
 * @typedef {object} Server
 * @property {string} pgCtl
 * @property {string} dataFolder
 * @property {Account | undefined} account
 */

/**
 * Joins the server that runs on the data folder, whoever has started it, or else starts one.
 *
 * @param {Server & { port: number | undefined }} server
 * @returns {Promise<{ lease: Lease, port: number }>} the port of a running server is the one it has
 */
export async function joinServer(server) {
  for (let attempt = 1; ; attempt += 1) {
    const joined = await joinRunningServer(server.dataFolder);
    if (joined) {
      return joined;
    }
    const port = server.port ?? (await freePort());
    const start = await startPostmaster({ ...server, port });
    if (!start.started) {
      const mayPass = isPassing(start.report) || (server.port === undefined && bindingFault(start.report));
      if (!mayPass || attempt === START_ATTEMPTS) {
        throw await startError(start.report, server.dataFolder, port);
      }
      await delay(RETRY_DELAY_MS);
    }
  }
}

/**
 * Gives the share in the server back, and stops it if no other process has one. A share that was lost is taken
 * again for it, if the server is still there, since somebody has to stop it.
 *
 * @param {Server} server
 * @param {Lease} lease
 */
export async function leaveServer(server, lease) {
  const stop = () => stopPostmaster(server);
  if (!(await lease.release(stop))) {
    const joined = await joinRunningServer(server.dataFolder);
    await joined?.lease.release(stop);
  }
}

/**
 * A server that is starting, recovering or stopping is waited for, until it answers or is gone.
 *
 * @param {string} dataFolder
 */
async function joinRunningServer(dataFolder) {
  const deadline = AbortSignal.timeout(ANSWER_DEADLINE_MS);
  for (;;) {
    const postmaster = await runningPostmaster(dataFolder);
    if (!postmaster) {
      return undefined;
    }
    const { pid, port } = postmaster;
    const lease = await Lease.take(port, dataFolder);
    if (lease) {
      return { lease, port };
    }
    if (deadline.aborted) {
      throw new EmbeddedPostgresError(
        `The PostgreSQL server that holds ${dataFolder} does not answer on port ${port}. ` +
          `End it (process ${pid}), or if that process is something else, remove ${dataFolder}/postmaster.pid.`,
      );
    }
    await delay(RETRY_DELAY_MS);
  }
}

/**
 * Another process starting the same server, the last sessions of a killed one that are about to end, or a server
 * that did start and has been stopped since, by a process that joined and left it first.
 *
 * @param {string} report
 */
function isPassing(report) {
  return /lock file "postmaster\.pid" (already exists|is empty)|pre-existing shared memory block|ready to accept connections/.test(
    report,
  );
}

/** @param {string} report */
function bindingFault(report) {
  return /could not bind IPv4 address .*?: (.+)/.exec(report)?.[1];
}

/**
 * @param {string} report
 * @param {string} dataFolder
 * @param {number} port
 */
async function startError(report, dataFolder, port) {
  const fault = bindingFault(report);
  if (fault) {
    return new EmbeddedPostgresError(
      `PostgreSQL cannot listen on port ${port} of 127.0.0.1 (${fault}). Choose another port, or none to get a free one.`,
    );
  }
  return errorFromReport(`PostgreSQL cannot start on the data in ${dataFolder}`, report, dataFolder);
}

/**
 * Another program can take the port before the server does; then the next attempt gets another one.
 *
 * @returns {Promise<number>}
 */
function freePort() {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: '127.0.0.1', port: 0 }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
