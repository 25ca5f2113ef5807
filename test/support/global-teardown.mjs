import { rm } from 'node:fs/promises';
import { server } from './global-setup.mjs';

/** Ends the server of the run and deletes its data. In watch mode the next run makes new ones. */
export default async function globalTeardown() {
  if (server) {
    await server.stop();
    await rm(server.dataFolder, { recursive: true, force: true });
    delete process.env.TEST_DATABASE_URL;
  }
}
