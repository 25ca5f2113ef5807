import { rm } from 'node:fs/promises';
import { serverAccount } from './account.mjs';
import { locateBinaries } from './binaries.mjs';
import { stopPostmaster } from './postmaster.mjs';

/**
 * Deletes a data folder, and first stops the server that runs on it, if any, whoever uses it.
 *
 * @param {string} dataFolder where the data is
 */
export async function removeEmbeddedPostgres(dataFolder) {
  const account = await serverAccount(dataFolder);
  const { pgCtl } = await locateBinaries(account);
  await stopPostmaster({ pgCtl, dataFolder, account });
  await rm(dataFolder, { recursive: true, force: true, maxRetries: 5 });
}
