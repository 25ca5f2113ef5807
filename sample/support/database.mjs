import { join } from 'node:path';
import { startEmbeddedPostgres } from './embedded-postgres/start.mjs';
import { PROJECT } from './project.mjs';

/**
 * @typedef {object} Database
 * @property {string} url
 * @property {() => Promise<void>} close leaves an embedded server, which the last one to leave stops
 */

/**
 * The database of DATABASE_URL, or else an embedded one, whose data is kept for the next start.
 *
 * @param {string} sample whose data it is
 * @returns {Promise<Database>}
 */
export async function openDatabase(sample) {
  const url = process.env.DATABASE_URL;
  if (url) {
    if (!/^postgres(ql)?:/.test(url) || !URL.canParse(url)) {
      throw new Error('DATABASE_URL is not a URL such as postgres://user:password@host:5432/database.');
    }
    return { url, close: () => Promise.resolve() };
  }
  const server = await startEmbeddedPostgres({ dataFolder: join(PROJECT, '.data', sample) });
  return { url: server.url, close: () => server.stop() };
}
