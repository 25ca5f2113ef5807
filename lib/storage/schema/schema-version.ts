import { cronStoreMigrations } from '../../../migrations/index.js';

/**
 * The version of the tables that this code needs: the timestamp of its newest migration. It grows with every migration;
 * the database may have a newer one.
 */
export const SCHEMA_VERSION: string = newestTimestamp();

function newestTimestamp(): string {
  const timestamps = cronStoreMigrations().map((Migration) => {
    const { name = Migration.name } = new Migration();
    return name.slice(-13);
  });
  return timestamps.at(-1) ?? '';
}
