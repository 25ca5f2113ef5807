import { loadSql } from '../../../lib/storage/nodes/load.store.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp } from '../../support/store-app.js';

describe('what is due in the whole store', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
    await (await startStoreApp({ url: database.url })).close();
    await database.query(
      `insert into crn_schedule (id, name, job_name, kind, fire_at_unix_ms, anchor_at_unix_ms, misfire_policy,
         concurrency_policy, recover, timeout_ms, is_enabled, next_fire_at_unix_ms, accounted_until_unix_ms, version,
         created_at_unix_ms, created_by, updated_at_unix_ms, updated_by)
       select gen_random_uuid(), 'schedule ' || number, 'work', 'once', number, 0, 'fire_now', 'forbid', false, 0,
         true, number, 0, 1, 0, 'test', 0, 'test'
       from generate_series(1, 60000) as number`,
    );
    await database.query('vacuum analyze');
  });

  afterAll(() => database.drop());

  it('is read by the index, and only as far as it is counted', async () => {
    const text = loadSql(new StoreSchema('public'), '30000::bigint');
    const plan = await database.query<{ 'QUERY PLAN': string }>(`explain ${text.replace('$1', '1')}`);
    const lines = plan.map((row) => row['QUERY PLAN']).join('\n');
    expect(lines).toMatch(/Index (?:Only )?Scan using crn_schedule_due_idx/);
    expect(lines).not.toMatch(/Seq Scan on crn_schedule\b/);
    const [load] = await database.query(text.replace('$1', '1'));
    expect(load).toMatchObject({ due_count: '10000', oldest_due_ms: '29999', alive_nodes: '0' });
  });
});
