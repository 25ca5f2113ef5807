import type { Connections } from '../connections/connections.js';
import { StoreSchemaError } from './store-schema.error.js';

/** As PostgreSQL counts: 14.0. */
const OLDEST_VERSION = 140_000;

/** @throws StoreSchemaError where the server is older than the statements of the store need. */
export async function checkServerVersion(connections: Connections): Promise<void> {
  const [server] = await connections.query<{ version: string; number: number }>(
    'manager',
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number`,
  );
  if (server !== undefined && server.number < OLDEST_VERSION) {
    throw new StoreSchemaError(
      `The server is PostgreSQL ${server.version}, and nestjs-cron-store needs 14 or newer: upgrade it, or name the data source of another server in the option dataSource.`,
    );
  }
}
