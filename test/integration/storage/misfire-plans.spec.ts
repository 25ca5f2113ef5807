import { idAt } from './support/id-at.js';
import { journalReads } from './support/index-reads.js';
import { StillStorage } from './support/still-storage.js';

const HOUR_MS = 3_600_000;
const RUNS = 20_000;

describe('a claim of what has misfired', () => {
  let still: StillStorage;

  beforeAll(async () => {
    still = await StillStorage.start();
  });

  afterAll(async () => {
    await still.close();
  });

  /** A schedule that was paused after many fires, or whose cursor came back with an old backup and others' did not. */
  async function fill(id: string): Promise<void> {
    const { database } = still;
    await database.query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
         occurrence_at_unix_ms, claimed_at_unix_ms, status, missed_count, attempt, recoveries, idempotency_key,
         created_at_unix_ms, created_by)
       select ${idAt('at', 'number::bigint')}, $1, 'much fired', 'work', 'schedule', at, at, at, 'succeeded', 0, 1, 0,
         number::text, at, 'system'
       from generate_series(1, ${RUNS}) number,
         lateral (select $2::bigint - (${RUNS} - number) * 1000::bigint as at) derived`,
      [id, Date.now() - HOUR_MS],
    );
    await database.query('vacuum analyze');
  }

  it.each([
    ['stands before them', RUNS * 1_000 + 2 * HOUR_MS, 0],
    ['stands behind them', HOUR_MS / 2, 1],
  ])('reads little of the many runs of a schedule whose cursor %s', async (_, behindMs, fires) => {
    const { database, storage } = still;
    const id = await still.createSchedule(`much fired ${behindMs}`);
    await fill(id);
    await database.query('update crn_schedule set next_fire_at_unix_ms = $2 where id = $1', [
      id,
      Date.now() - behindMs,
    ]);
    const reads = await journalReads(database, storage, async () => {
      const { claimed } = await storage.claims.claim({
        nodeId: 'node',
        jobNames: ['work'],
        slots: 10,
        misfireThresholdMs: 60_000,
        abandonedAfterMs: HOUR_MS,
        maxRecoveries: 1,
        mayTakeOver: () => false,
      });
      expect(claimed).toHaveLength(fires);
    });
    expect(reads).toBeLessThan(100);
  });
});
