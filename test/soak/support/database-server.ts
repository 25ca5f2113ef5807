import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { PROJECT } from './project.js';

/** The PostgreSQL server of a soak. */
export interface DatabaseServer {
  /** Ends every session, in order (`fast`) or as a crash does (`immediate`), and serves again on the same port. */
  restart(mode: 'fast' | 'immediate'): Promise<void>;
  /** Stops it and deletes its data. */
  stop(): Promise<void>;
}

/** Starts a server of its own for this process. */
export async function startDatabaseServer(): Promise<DatabaseServer> {
  const module = pathToFileURL(join(PROJECT, 'test/soak/support/database-server.mjs')).href;
  const { startDatabaseServer: start } = (await import(module)) as {
    startDatabaseServer: () => Promise<DatabaseServer>;
  };
  return start();
}
