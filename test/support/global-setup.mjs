import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serverAccount } from '../../sample/support/embedded-postgres/account.mjs';
import { makeOwnFolder, reachableFolder } from '../../sample/support/embedded-postgres/folders.mjs';
import { isAlive } from '../../sample/support/embedded-postgres/processes.mjs';
import { removeEmbeddedPostgres } from '../../sample/support/embedded-postgres/remove.mjs';
import { startEmbeddedPostgres } from '../../sample/support/embedded-postgres/start.mjs';
import { compileHeartbeatProgram } from './heartbeat-program.mjs';

const SETTINGS = {
  // The data need not survive a crash of the machine, and not waiting for the disk is the largest part of the
  // time that tests take. All that tests can observe stays the same; everything else is at its default.
  fsync: 'off',
  // Several applications in several workers at the same time, each with its pools.
  max_connections: '300',
};

/**
 * The server of this run, if it has one of its own.
 *
 * @type {import('../../sample/support/embedded-postgres/start.mjs').EmbeddedPostgres | undefined}
 */
export let server;

/** One server for all tests of the run, unless TEST_DATABASE_URL names another one. */
export default async function globalSetup() {
  await compileHeartbeatProgram();
  if (process.env.TEST_DATABASE_URL) {
    return;
  }
  const folder = await folderOfRuns();
  await removeLeftovers(folder);
  server = await startEmbeddedPostgres({
    dataFolder: join(folder, String(process.pid)),
    settings: SETTINGS,
    log: () => undefined,
  });
  process.env.TEST_DATABASE_URL = server.url;
}

/** Holds a data folder for each run, named by the id of its process. */
async function folderOfRuns() {
  const wanted = join(tmpdir(), `nestjs-cron-store-test-${process.getuid?.() ?? 'user'}`);
  const folder = await reachableFolder(await serverAccount(wanted), wanted);
  await makeOwnFolder(folder);
  return folder;
}

/**
 * A run that was killed has left its server and its data.
 *
 * @param {string} folder
 */
async function removeLeftovers(folder) {
  for (const name of await readdir(folder)) {
    const pid = Number.parseInt(name, 10);
    if (pid === process.pid || !isAlive(pid)) {
      await removeEmbeddedPostgres(join(folder, name));
    }
  }
}
