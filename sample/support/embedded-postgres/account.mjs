import { readFile, stat } from 'node:fs/promises';
import { EmbeddedPostgresError } from './errors.mjs';

/**
 * The account the server runs as.
 *
 * @typedef {object} Account
 * @property {string} name
 * @property {number} uid
 * @property {number} gid
 */

/**
 * PostgreSQL refuses to run as root. Started by root, it runs as the owner of the data, and with new data as
 * `postgres` or else as `nobody`: initdb wants an account that the system knows, and these exist without
 * creating one. Anybody else runs it as himself, which is `undefined`.
 *
 * @param {string} dataFolder
 * @returns {Promise<Account | undefined>}
 */
export async function serverAccount(dataFolder) {
  if (process.getuid?.() !== 0) {
    return undefined;
  }
  const accounts = await systemAccounts();
  const owner = await ownerOf(dataFolder);
  const account =
    accounts.find(({ uid }) => uid !== 0 && uid === owner) ??
    accounts.find(({ name }) => name === 'postgres') ??
    accounts.find(({ name }) => name === 'nobody');
  if (!account) {
    throw new EmbeddedPostgresError(
      'PostgreSQL does not run as root, and this system has neither an account "postgres" nor "nobody". ' +
        'Create one of them, or start as another user.',
    );
  }
  return account;
}

/** @returns {Promise<Account[]>} */
async function systemAccounts() {
  const entries = await readFile('/etc/passwd', 'utf8');
  return entries
    .split('\n')
    .map((entry) => entry.split(':'))
    .filter((fields) => fields.length >= 4)
    .map(([name = '', , uid, gid]) => ({ name, uid: Number(uid), gid: Number(gid) }));
}

/** @param {string} folder */
async function ownerOf(folder) {
  try {
    return (await stat(folder)).uid;
  } catch {
    return undefined;
  }
}
