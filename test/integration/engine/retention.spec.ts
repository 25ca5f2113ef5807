import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp } from '../../support/store-app.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('retention', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
    const migrated = await startStoreApp({ url: database.url });
    await migrated.close();
    // What every deletion did, and in which transaction.
    await database.query('create table deletion (rows bigint, transaction bigint)');
    await database.query(`
      create function note_deletion() returns trigger language plpgsql as $$
      begin
        insert into deletion select count(*), txid_current() from gone;
        return null;
      end $$`);
    await database.query(`
      create trigger note_deletion after delete on crn_run
      referencing old table as gone for each statement execute function note_deletion()`);
  });

  afterEach(async () => {
    await database.drop();
  });

  /** Runs that were claimed at one time and ended at another, under ids as a claim mints them. */
  async function addRuns(
    count: number,
    status: string,
    { claimedDaysAgo, endedDaysAgo = claimedDaysAgo }: { claimedDaysAgo: number; endedDaysAgo?: number },
  ): Promise<void> {
    await database.query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
         occurrence_at_unix_ms,         claimed_at_unix_ms, finished_at_unix_ms, status, node_id, heartbeat_at_unix_ms, missed_count, attempt,
         recoveries, idempotency_key, created_at_unix_ms, created_by)
       select (lpad(to_hex(at.claimed), 12, '0') || '7' || substr(md5(random()::text), 1, 3) || '8'
           || substr(md5(random()::text), 1, 15))::uuid,
         gen_random_uuid(), $3, 'work', 'schedule', at.claimed, at.claimed, at.claimed, at.ended, $3, 'node', 9999999999999, 0, 1, 0,
         'key', at.claimed, 'system'
       from generate_series(1, $1::int), (
         select (extract(epoch from clock_timestamp()) * 1000)::bigint - $2::bigint as claimed,
           case when $3 in ('succeeded', 'failed') then
             (extract(epoch from clock_timestamp()) * 1000)::bigint - $4::bigint end as ended
       ) as at`,
      [count, claimedDaysAgo * DAY_MS, status, endedDaysAgo * DAY_MS],
    );
  }

  async function counts(): Promise<Record<string, number>> {
    const rows = await database.query<{ status: string; count: string }>(
      'select status, count(*)::text as count from crn_run group by status',
    );
    return Object.fromEntries(rows.map(({ status, count }) => [status, Number(count)]));
  }

  it('deletes runs that ended long ago, in bounded batches, and nothing else', async () => {
    await addRuns(2_300, 'succeeded', { claimedDaysAgo: 40 });
    await addRuns(7, 'failed', { claimedDaysAgo: 40, endedDaysAgo: 1 });
    await addRuns(3, 'running', { claimedDaysAgo: 40 });
    await addRuns(5, 'missed', { claimedDaysAgo: 40 });
    await addRuns(11, 'succeeded', { claimedDaysAgo: 1 });
    await addRuns(13, 'skipped', { claimedDaysAgo: 29 });

    const node = await startStoreApp({ url: database.url, store: { runRetention: 30 * DAY_MS } });
    await untilTrue('the old ones are gone', async () => (await counts())['succeeded'] === 11);
    await untilTrue('old missed ones are gone', async () => (await counts())['missed'] === undefined);
    expect(await counts()).toEqual({ failed: 7, running: 3, skipped: 13, succeeded: 11 });
    const deletions = await database.query<{ rows: string; transaction: string }>('select * from deletion');
    expect(deletions.map(({ rows }) => Number(rows))).toEqual([1_000, 1_000, 305]);
    expect(new Set(deletions.map(({ transaction }) => transaction)).size).toBe(3);
    await node.close();
  });

  it('waits for nobody who holds a run, and comes back for it', async () => {
    await addRuns(5, 'succeeded', { claimedDaysAgo: 40 });
    await addRuns(1, 'failed', { claimedDaysAgo: 40 });
    const reader = await startStoreApp({ url: database.url });
    await reader.dataSource.transaction(async (transaction) => {
      await transaction.query(`select from crn_run where status = 'failed' for update`);
      const node = await startStoreApp({ url: database.url, store: { runRetention: 30 * DAY_MS } });
      await untilTrue('the others are gone', async () => (await counts())['succeeded'] === undefined);
      expect(await counts()).toEqual({ failed: 1 });
      await node.close();
    });
    const node = await startStoreApp({ url: database.url, store: { runRetention: 30 * DAY_MS } });
    await untilTrue('it is gone too', async () => (await counts())['failed'] === undefined);
    await node.close();
    await reader.close();
  });

  it('keeps everything by default, and forgets only nodes that are long silent', async () => {
    await addRuns(5, 'succeeded', { claimedDaysAgo: 4_000 });
    await database.query(
      `insert into crn_node (id, host, pid, job_names, slots, busy_slots, version, started_at_unix_ms, heartbeat_at_unix_ms)
       select id, 'host', 1, '{}', 1, 0, '1.0.0', 0, (extract(epoch from clock_timestamp()) * 1000)::bigint - silent
       from (values ('long silent', $1::bigint), ('lately silent', $2::bigint)) as node (id, silent)`,
      [2 * DAY_MS, DAY_MS / 2],
    );
    const node = await startStoreApp({ url: database.url });
    await untilTrue('the silent node is forgotten', async () => {
      const rows = await database.query(`select from crn_node where id = 'long silent'`);
      return rows.length === 0;
    });
    expect(await database.query(`select from crn_node where id = 'lately silent'`)).toHaveLength(1);
    expect(await counts()).toEqual({ succeeded: 5 });
    await node.close();
  });
});
