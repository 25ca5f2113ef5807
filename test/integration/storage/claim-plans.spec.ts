import { claimableSchedule } from '../../../lib/storage/claims/claimable.js';
import { HAS_CURSOR } from '../../../lib/storage/schedules/can-fire.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp } from '../../support/store-app.js';

const CLAIMABLE = claimableSchedule(new StoreSchema('public'), {
  jobNames: '$1',
  now: '$2',
  misfiredBefore: '$2',
});

describe('the search for what can be claimed', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await (await startStoreApp({ url: database.url })).close();
    await database.query(
      `insert into crn_schedule (id, name, job_name, kind, fire_at_unix_ms, anchor_at_unix_ms, misfire_policy,
         concurrency_policy, recover, timeout_ms, is_enabled, next_fire_at_unix_ms, accounted_until_unix_ms, version,
         created_at_unix_ms, created_by, updated_at_unix_ms, updated_by)
       select gen_random_uuid(), 'schedule ' || number, 'work', 'once', number, 0, 'fire_now', 'forbid', false, 0,
         number % 10 <> 0, number, 0, 1, 0, 'test', 0, 'test'
       from generate_series(1, 20000) as number`,
    );
    await database.query('analyze');
  });

  afterAll(() => database.drop());

  it.each([
    ['the nearest cursor', `order by s.next_fire_at_unix_ms limit 1`],
    ['what is due', `and s.next_fire_at_unix_ms <= $2::bigint order by s.next_fire_at_unix_ms limit 16`],
  ])('finds %s by the index, where every schedule has the same job', async (_, search) => {
    const plan = await database.query<{ 'QUERY PLAN': string }>(
      `explain select s.id from crn_schedule s where ${HAS_CURSOR} and ${CLAIMABLE} ${search}`,
      [['work'], 10_000],
    );
    const text = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(text).toMatch(/Index Scan using crn_schedule_due_idx/);
    expect(text).not.toMatch(/Seq Scan on crn_schedule\b/);
  });
});
