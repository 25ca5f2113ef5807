import { Client } from 'pg';
import { RetentionStore } from '../../../lib/storage/journal/retention.store.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp, type StoreAppOptions } from '../../support/store-app.js';
import { fire, NEVER } from '../engine/support/runs.js';
import { job } from '../engine/support/jobs.js';
import { idAt } from './support/id-at.js';

type Connections = ConstructorParameters<typeof RetentionStore>[1];

const SCHEMA = new StoreSchema('public');
const MINUTE = 60_000;
/** Each run began and ended a minute after the one before, the last at NOON. */
const RUNS = 40_000;
const NOON = Date.UTC(2026, 0, 15, 12);
/** Half of the runs are of the first. */
const SCHEDULES = 200;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly Plans?: readonly PlanNode[];
}

describe('retention of a large journal', () => {
  let database: TestDatabase;
  const closings: (() => Promise<void>)[] = [];

  beforeEach(async () => {
    database = await createTestDatabase();
    const migrated = await startStoreApp({ url: database.url });
    await migrated.close();
    // Every tenth run failed; one of the oldest still runs, and the next was missed and has no end.
    await database.query(`
      insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
        occurrence_at_unix_ms, claimed_at_unix_ms, finished_at_unix_ms, status, missed_count, attempt, recoveries,
        idempotency_key, created_at_unix_ms, created_by)
      select ${idAt('at', 'i::bigint')}, ${idAt('0', 'schedule')}, 'schedule ' || schedule, 'job', 'schedule', at, at, at,
        case when i > 2 then at end,
        case when i = 1 then 'running' when i = 2 then 'missed' when i % 20 = 0 then 'failed' when i % 20 = 10 then 'abandoned'
          else 'succeeded' end,
        0, 1, 0, i::text, at, 'system'
      from generate_series(1, ${RUNS}) i,
        lateral (select ${NOON} - (${RUNS} - i) * ${MINUTE}::bigint as at,
          case when i % 2 = 1 then 1 else 2 + (i / 2) % ${SCHEDULES - 1} end::bigint as schedule) derived`);
    await database.query('vacuum analyze crn_run');
  });

  afterEach(async () => {
    await Promise.all(closings.splice(0).map((close) => close()));
    await database.drop();
  });

  /** A store at NOON that keeps how the server carries its statements out. */
  function watchedStore(): { readonly store: RetentionStore; readonly scans: PlanNode[] } {
    const scans: PlanNode[] = [];
    const connections: Connections = {
      now: async () => NOON,
      async query<Row extends object>(_purpose: string, text: string, values: readonly unknown[] = []) {
        const [explained] = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
          `explain (format json) ${text}`,
          values,
        );
        scans.push(...(explained?.['QUERY PLAN'].flatMap(({ Plan }) => scansOfRuns(Plan)) ?? []));
        return database.query<Row & Record<string, unknown>>(text, values);
      },
    };
    return { store: new RetentionStore(SCHEMA, connections), scans };
  }

  async function count(condition = 'true'): Promise<number> {
    const [row] = await database.query<{ count: string }>(
      `select count(*)::text as count from crn_run where ${condition}`,
    );
    return Number(row?.count);
  }

  it('deletes by age: a thousand at a time, by the primary key, and neither what runs nor young failures (scenario 38)', async () => {
    const { store, scans } = watchedStore();
    const periods = { retentionMs: 1_000 * MINUTE, failedMs: 20_000 * MINUTE };
    const sizes: number[] = [];
    let after: string | undefined;
    do {
      const before = await count();
      after = await store.pruneRunsByAge(periods, after);
      sizes.push(before - (await count()));
    } while (after !== undefined);

    // Of 38,999 that are old enough, one runs, and of 18,999 a tenth are failures that stay.
    expect(sizes.reduce((sum, size) => sum + size)).toBe(38_999 - 1 - 1_900);
    expect(Math.max(...sizes)).toBe(1_000);
    expect(sizes.filter((size) => size < 1_000)).toHaveLength(1);
    expect(await count(`status = 'running'`)).toBe(1);
    expect(await count(`status = 'missed'`)).toBe(0);
    expect(
      await count(`status in ('failed', 'abandoned') and finished_at_unix_ms < ${NOON - 20_000 * MINUTE}`),
    ).toBe(0);
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
  });

  it('deletes by count: the last of each schedule stay, with what runs and young failures (scenario 38)', async () => {
    const { store, scans } = watchedStore();
    let schedule: string | undefined;
    const looks: number[] = [];
    do {
      const { excesses, next } = await store.findExcess(50, schedule);
      looks.push(excesses.length);
      for (const excess of excesses) {
        let after: string | undefined;
        do {
          const before = await count();
          after = await store.pruneExcess(excess, 5_000 * MINUTE, after);
          expect(before - (await count())).toBeLessThanOrEqual(1_000);
        } while (after !== undefined);
      }
      schedule = next;
    } while (schedule !== undefined);

    expect(looks).toEqual([100, 100, 0]);
    const left = await database.query<{ schedule_name: string; count: string; newest: string }>(`
      select schedule_name, count(*)::text as count,
        count(*) filter (where position <= 50)::text as newest
      from (select *, row_number() over (partition by schedule_id order by id desc) as position from crn_run
        where status not in ('failed', 'abandoned', 'running')) r
      group by schedule_name`);
    expect(left).toHaveLength(SCHEDULES);
    expect(left.filter((row) => Number(row.count) > 50)).toEqual([]);
    expect(await count(`status = 'running'`)).toBe(1);
    expect(
      await count(`status in ('failed', 'abandoned') and claimed_at_unix_ms >= ${NOON - 5_000 * MINUTE}`),
    ).toBe(501);
    expect(await count(`schedule_name = 'schedule 1' and status = 'succeeded'`)).toBe(50);
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
  });

  it('holds nobody up, and waits for nobody (scenario 38)', async () => {
    const node = await started({ providers: [job('job', () => undefined)] });
    const { id } = await node.manager.create({
      name: 'busy',
      jobName: 'job',
      trigger: NEVER,
      concurrencyPolicy: 'allow',
    });
    await database.query('update crn_run set schedule_id = $1, schedule_name = $2 where schedule_id = $3', [
      id,
      'busy',
      '00000000-0000-7000-8000-000000000001',
    ]);
    const [pruner, other] = await Promise.all([connect(), connect()]);
    const periods = { retentionMs: 1_000 * MINUTE, failedMs: 0 };
    await pruner.client.query('begin');
    await pruner.store.pruneRunsByAge(periods);

    // The batch holds its locks; a claim, an outcome, and another node that prunes go on.
    expect(await fire(node, 'busy')).toMatchObject({ status: 'succeeded' });
    await other.client.query(`set lock_timeout = '1ms'`);
    await other.store.pruneRunsByAge(periods);
    await pruner.client.query('commit');
    expect(await count()).toBe(RUNS + 1 - 1_000);
  });

  it('is what a node does with its options', async () => {
    await started({ store: { runRetentionPerSchedule: 10 } });
    await untilTrue('the excess is gone', async () => (await count()) <= SCHEDULES * 10 + 1);
    expect(await count(`schedule_name = 'schedule 1' and status <> 'running'`)).toBe(10);
    expect(await count(`claimed_at_unix_ms > ${NOON - 10 * MINUTE}`)).toBe(10);
  });

  async function started(given: Omit<StoreAppOptions, 'url'>): Promise<StoreApp> {
    const node = await startStoreApp({ url: database.url, ...given });
    closings.push(() => node.close());
    return node;
  }

  async function connect(): Promise<{ readonly client: Client; readonly store: RetentionStore }> {
    const client = new Client({ connectionString: database.url });
    await client.connect();
    closings.push(() => client.end());
    const connections: Connections = {
      now: async () => NOON,
      async query<Row extends object>(_purpose: string, text: string, values: readonly unknown[] = []) {
        const { rows } = await client.query<Row & Record<string, unknown>>(text, [...values]);
        return rows;
      },
    };
    return { client, store: new RetentionStore(SCHEMA, connections) };
  }
});

function scansOfRuns(node: PlanNode): PlanNode[] {
  const own = node['Relation Name'] === 'crn_run' ? [node] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scansOfRuns)];
}
