import { join } from 'node:path';
import { serverAccount } from '../../../sample/support/embedded-postgres/account.mjs';
import { locateBinaries } from '../../../sample/support/embedded-postgres/binaries.mjs';
import { run } from '../../../sample/support/embedded-postgres/command.mjs';
import globalSetup, { server } from '../../support/global-setup.mjs';
import globalTeardown from '../../support/global-teardown.mjs';

/** A server for the soak alone, as the tests have one, which can be restarted on its port. */
export async function startDatabaseServer() {
  delete process.env.TEST_DATABASE_URL;
  await globalSetup();
  if (server === undefined) {
    throw new Error('The database server did not start.');
  }
  const { dataFolder } = server;
  const account = await serverAccount(dataFolder);
  const { pgCtl } = await locateBinaries(account);

  return {
    /** @param {'fast' | 'immediate'} mode whether sessions are ended in order, or as by a crash */
    async restart(mode) {
      const parameters = ['restart', '--silent', '--wait', `--mode=${mode}`, '-D', dataFolder];
      const { succeeded, report } = await run(
        pgCtl,
        [...parameters, '-l', join(dataFolder, 'server.log')],
        account,
      );
      if (!succeeded) {
        throw new Error(`The database server could not be restarted: ${report}`);
      }
    },
    stop: globalTeardown,
  };
}
