import { Connections } from '../../../lib/storage/connections/connections.js';
import { PostgresClock } from '../../../lib/storage/index.js';
import { StillStorage } from './support/still-storage.js';

/** By SQLSTATE. */
const LOCK_NOT_AVAILABLE = '55P03';

const SETTINGS = `
  select current_setting('statement_timeout') as statement, current_setting('lock_timeout') as lock,
    current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('transaction_isolation') as isolation`;

describe('every transaction of the store', () => {
  let still: StillStorage;

  beforeAll(async () => {
    still = await StillStorage.start();
  });

  afterAll(async () => {
    await still.close();
  });

  it('bounds its statements, its waits and its silence, in READ COMMITTED, and changes nothing of its session', async () => {
    await still.database.query(
      `do $$ begin
         execute format('alter database %I set default_transaction_isolation = serializable', current_database());
       end $$`,
    );
    // Of its own: a session has the defaults of when it began.
    const connections = new Connections(still.app.dataSource, new PostgresClock(), false, () => undefined);
    expect(await connections.transaction('manager', ({ executor }) => executor.query(SETTINGS))).toEqual([
      { statement: '15s', lock: '5s', idle: '10s', isolation: 'read committed' },
    ]);
    expect(await connections.query('manager', SETTINGS)).toEqual([
      { statement: '0', lock: '0', idle: '0', isolation: 'serializable' },
    ]);
    await connections.close();
  });

  it('gives up a lock that somebody keeps, and with it its own', async () => {
    const [held, wanted] = [await still.createSchedule('held'), await still.createSchedule('wanted')];
    const runner = still.app.dataSource.createQueryRunner();
    const lock = 'select from crn_schedule where id = $1 for update';
    await runner.startTransaction();
    await runner.query(lock, [wanted]);
    try {
      await expect(
        still.storage.connections.transaction('engine', async ({ executor }) => {
          await executor.query(lock, [held]);
          await executor.query(lock, [wanted]);
        }),
      ).rejects.toMatchObject({ code: LOCK_NOT_AVAILABLE });
      await runner.query(`${lock} nowait`, [held]);
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  });
});
