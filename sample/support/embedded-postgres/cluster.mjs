import { appendFile, chown, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { run } from './command.mjs';
import { errorCode } from './error-code.mjs';
import { EmbeddedPostgresError, errorFromReport } from './errors.mjs';
import { makeFolderAtOnce } from './folder-at-once.mjs';
import { makeFolder } from './folders.mjs';

/** @import { Account } from './account.mjs' */

const CLUSTER_PARAMETERS = [
  '--username=postgres',
  // Whoever has a shell on this machine is let in without a password. For sample data that can be made anew
  // this is worth less than a password that must be kept somewhere; nothing listens beyond the loopback.
  '--auth=trust',
  // The same everywhere, whatever the locale of the machine.
  '--encoding=UTF8',
  '--no-instructions',
];

const BUILTIN_LOCALE = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];

/** Of PostgreSQL, the first version that has a locale of its own. Before it, the one alike is the system's. */
const FIRST_WITH_BUILTIN_LOCALE = 17;
const SYSTEM_LOCALE = ['--locale=C.UTF-8'];

const COMMON_SETTINGS = { listen_addresses: '127.0.0.1', unix_socket_directories: '' };

/**
 * Makes the data folder with an empty cluster, unless it is there already. The settings are written into its
 * configuration, so they hold from then on.
 *
 * @param {object} cluster
 * @param {string} cluster.initdb
 * @param {string} cluster.dataFolder
 * @param {Account | undefined} cluster.account
 * @param {Readonly<Record<string, string>>} cluster.settings
 */
export async function createCluster({ initdb, dataFolder, account, settings }) {
  if (await isCluster(dataFolder)) {
    return;
  }
  await makeFolder(dirname(dataFolder));
  await makeFolderAtOnce(dataFolder, async (staging) => {
    if (account) {
      await chown(staging, account.uid, account.gid);
    }
    const parameters = [...CLUSTER_PARAMETERS, ...(await localeParameters(initdb, account)), staging];
    const { succeeded, report } = await run(initdb, parameters, account);
    if (!succeeded) {
      throw await errorFromReport(
        `The data folder ${dataFolder} cannot be made`,
        report,
        dirname(dataFolder),
      );
    }
    // Not as parameters, which the programs take since PostgreSQL 16.
    await appendFile(join(staging, 'postgresql.conf'), settingLines({ ...COMMON_SETTINGS, ...settings }));
  });
}

/**
 * @param {string} initdb
 * @param {Account | undefined} account
 * @returns {Promise<readonly string[]>}
 */
async function localeParameters(initdb, account) {
  const { report } = await run(initdb, ['--version'], account);
  const [version] = /\d+/.exec(report) ?? [];
  return Number(version) >= FIRST_WITH_BUILTIN_LOCALE ? BUILTIN_LOCALE : SYSTEM_LOCALE;
}

/**
 * @param {Readonly<Record<string, string>>} settings
 * @returns {string}
 */
function settingLines(settings) {
  const lines = Object.entries(settings).map(
    ([name, value]) => `${name} = '${value.replaceAll("'", "''")}'\n`,
  );
  return lines.join('');
}

/** @param {string} dataFolder */
async function isCluster(dataFolder) {
  const files = await filesIn(dataFolder);
  if (files.length > 0 && !files.includes('PG_VERSION')) {
    throw new EmbeddedPostgresError(
      `${dataFolder} holds something else than the data of a PostgreSQL server. Choose another data folder.`,
    );
  }
  return files.length > 0;
}

/** @param {string} dataFolder */
async function filesIn(dataFolder) {
  try {
    await assertOwn(dataFolder);
    return await readdir(dataFolder);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      return [];
    }
    throw error;
  }
}

/**
 * Root may use anybody's data, since the server then runs as their owner.
 *
 * @param {string} dataFolder
 */
async function assertOwn(dataFolder) {
  const { uid } = await stat(dataFolder);
  const user = process.getuid?.() ?? uid;
  if (user !== 0 && user !== uid) {
    throw new EmbeddedPostgresError(
      `The data folder ${dataFolder} belongs to another user (uid ${uid}), or was made by root. ` +
        'Start as whoever made it, remove it, or choose another one.',
    );
  }
}
