import { resolve } from 'node:path';
import { serverAccount } from './account.mjs';
import { locateBinaries } from './binaries.mjs';
import { createCluster } from './cluster.mjs';
import { EmbeddedPostgresError, errorFromSystem } from './errors.mjs';
import { reachableFolder } from './folders.mjs';
import { joinServer, leaveServer } from './server.mjs';

export { EmbeddedPostgresError };

/** @import { EmbeddedPostgres, EmbeddedPostgresOptions } from './start.d.mts' */

/**
 * The declaration beside says what it guarantees.
 *
 * @param {EmbeddedPostgresOptions} options
 * @returns {Promise<EmbeddedPostgres>}
 */
export async function startEmbeddedPostgres(options) {
  assertPort(options.port);
  try {
    return await start(options);
  } catch (fault) {
    throw errorFromSystem(fault);
  }
}

/**
 * @param {EmbeddedPostgresOptions} options
 * @returns {Promise<EmbeddedPostgres>}
 */
async function start({ dataFolder: wanted, port, settings = {}, log = console.log }) {
  const wantedFolder = resolve(wanted);
  const dataFolder = await reachableFolder(await serverAccount(wantedFolder), wantedFolder);
  const account = await serverAccount(dataFolder);
  const { initdb, pgCtl } = await locateBinaries(account);
  await createCluster({ initdb, dataFolder, account, settings });
  const server = { pgCtl, dataFolder, account };
  const { lease, port: actualPort } = await joinServer({ ...server, port });
  log(`PostgreSQL listens on 127.0.0.1:${actualPort}, its data is in ${dataFolder}`);

  /** @type {Promise<void> | undefined} */
  let stopped;
  return {
    url: `postgres://postgres@127.0.0.1:${actualPort}/postgres`,
    port: actualPort,
    dataFolder,
    stop: () => (stopped ??= leaveServer(server, lease)),
  };
}

/** @param {number | undefined} port */
function assertPort(port) {
  if (port !== undefined && !(Number.isInteger(port) && port >= 1 && port <= 65_535)) {
    throw new EmbeddedPostgresError(`The port must be a whole number from 1 to 65535, not ${port}.`);
  }
}
