import { Connections } from '../../../lib/storage/connections/connections.js';
import { PostgresClock } from '../../../lib/storage/index.js';
import { StillStorage } from './support/still-storage.js';

/** By SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

describe('a table that somebody keeps locked', () => {
  let still: StillStorage;
  let connections: Connections;

  beforeAll(async () => {
    still = await StillStorage.start();
    connections = new Connections(still.app.dataSource, new PostgresClock(), true, () => undefined);
  });

  afterAll(async () => {
    await connections.close();
    await still.close();
  });

  it('is given up by the server, also outside of transactions: no session waits for it without a client', async () => {
    const runner = still.app.dataSource.createQueryRunner();
    await runner.startTransaction();
    await runner.query('lock table crn_run in access exclusive mode');
    try {
      await expect(connections.query('engine', 'select from crn_run limit 1')).rejects.toMatchObject({
        code: LOCK_NOT_AVAILABLE,
      });
      expect(
        await still.database.query(
          `select query from pg_stat_activity
           where datname = current_database() and wait_event_type = 'Lock'`,
        ),
      ).toEqual([]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
    await expect(connections.query('engine', 'select from crn_run limit 1')).resolves.toEqual([]);
  });
});
