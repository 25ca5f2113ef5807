import { AuditPageStore, type AuditSearch } from '../../../lib/storage/audit/audit-page.store.js';
import { JournalStore, type RunSelection } from '../../../lib/storage/journal/journal.store.js';
import { smallestIdAt } from '../../../lib/storage/statements/identifiers.js';
import type { Executor } from '../../../lib/storage/index.js';
import { WINDOW_SIZE } from '../../../lib/storage/statements/page.js';
import {
  type HistoryStep,
  type RunHistory,
  type RunHistorySearch,
  RunHistoryStore,
} from '../../../lib/storage/journal/run-history.store.js';
import { STEP_SIZE } from '../../../lib/storage/journal/run-history.windows.js';
import { RunPageStore, type RunSortField } from '../../../lib/storage/journal/run-page.store.js';
import type { RunSearch } from '../../../lib/storage/journal/run-search.js';
import {
  SchedulePageStore,
  type ScheduleSearch,
} from '../../../lib/storage/schedules/schedule-page.store.js';
import { UpcomingStore } from '../../../lib/storage/schedules/upcoming.store.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp } from '../../support/store-app.js';
import { idAt } from './support/id-at.js';

/** One run a second, so that times are easy to reckon with. */
const RUNS = 1_000_000;
const SCHEDULES = 100_000;
const FIRST_RUN_AT = Date.UTC(2026, 0, 1);
const LAST_RUN_AT = FIRST_RUN_AT + RUNS * 1_000;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

describe('pages of a large store', () => {
  let database: TestDatabase;
  const schema = new StoreSchema('public');

  beforeAll(async () => {
    database = await createTestDatabase();
    const app = await startStoreApp({ url: database.url, store: { listen: false } });
    await app.close();
    await fill();
  }, 300_000);

  afterAll(async () => {
    await database?.drop();
  });

  /** Rows go in without indexes, which are then made again as they were. */
  async function fill(): Promise<void> {
    const indexes = await database.query<{ name: string; definition: string }>(`
      select indexname as name, indexdef as definition from pg_indexes
      where tablename in ('crn_run', 'crn_audit') and indexname not like '%_pkey'`);
    for (const { name } of indexes) {
      await database.query(`drop index ${name}`);
    }
    await database.query(`
      insert into crn_schedule (id, name, job_name, kind, expr, anchor_at_unix_ms, misfire_policy, concurrency_policy,
        recover, timeout_ms, is_enabled, next_fire_at_unix_ms, accounted_until_unix_ms, version, created_at_unix_ms,
        created_by, updated_at_unix_ms, updated_by)
      select ${idAt('0', 'i::bigint')}, 'schedule ' || i, 'job ' || i % 20, 'cron', '0 0 1 1 *', 0, 'fire_now', 'forbid',
        false, 0, true, i, 0, 1, i, 'system', i, 'system'
      from generate_series(1, ${SCHEDULES}) i`);
    await database.query(`insert into crn_schedule_name select name, id from crn_schedule`);
    // One of them had the names of two others before.
    await database.query(`
      insert into crn_schedule_name select former.name, renamed.id from crn_schedule renamed, crn_schedule former
      where renamed.name = 'schedule 2000' and former.name in ('schedule 501', 'schedule 502')`);
    // Half of the runs are of one schedule. A rare job, a rare node and two failures are among the oldest.
    await database.query(`
      insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms,
        occurrence_at_unix_ms, claimed_at_unix_ms,
        status, node_id, missed_count, attempt, recoveries, idempotency_key, created_at_unix_ms, created_by)
      select ${idAt('ms', 'i::bigint')}, ${idAt('0', 'schedule')}, 'schedule ' || schedule,
        case when i % 1000000 = 5 then 'rare job' else 'job ' || schedule % 20 end, 'schedule', ms, ms, ms,
        case when i < 100 and i % 50 = 7 then 'failed' when i = ${RUNS} then 'running' else 'succeeded' end,
        case when i = 9 then 'rare node' else 'node' end, 0, 1, 0, i::text, ms, 'system'
      from generate_series(1, ${RUNS}) i,
        lateral (select ${FIRST_RUN_AT} + i * 1000::bigint as ms,
          case when i % 2 = 0 then 1 else i % ${SCHEDULES} + 1 end::bigint as schedule) derived`);
    await database.query(`
      insert into crn_audit (id, at_unix_ms, actor_id, resource, action, target, outcome, code, attempts, elapsed_ms)
      select ${idAt('ms', 'i::bigint')}, ms, 'actor', 'sys/cron/schedule', 'update', 'schedule ' || i % 1000, 'success', 0, 1, 0
      from generate_series(1, 300000) i, lateral (select ${FIRST_RUN_AT} + i * 1000::bigint as ms) derived`);
    for (const { definition } of indexes) {
      await database.query(definition);
    }
    await database.query('vacuum analyze');
  }

  /** Runs statements, and keeps how the server carried each of them out. */
  function explaining(): { readonly executor: Executor; readonly scans: PlanNode[] } {
    const scans: PlanNode[] = [];
    const executor: Executor = {
      async query<Row extends object>(text: string, values: readonly unknown[] = []) {
        const [explained] = await database.query<{ 'QUERY PLAN': readonly { readonly Plan: PlanNode }[] }>(
          `explain (analyze, timing off, format json) ${text}`,
          values,
        );
        scans.push(...(explained?.['QUERY PLAN'].flatMap(({ Plan }) => scansIn(Plan)) ?? []));
        return database.query<Row & Record<string, unknown>>(text, values);
      },
    };
    return { executor, scans };
  }

  async function findRuns(search: RunSearch, slice: { offset?: number; sort?: RunSortField } = {}) {
    const { executor, scans } = explaining();
    const { offset = 0, sort } = slice;
    const page = await new RunPageStore(schema).find(executor, search, {
      offset,
      limit: 15,
      ...(sort === undefined ? {} : { sort: { field: sort, isDescending: false } }),
    });
    return { page, scans: scans.filter((scan) => scan['Relation Name'] === 'crn_run') };
  }

  const HOUR = 3_600_000;
  const SEARCHES: readonly [string, RunSearch, number, boolean][] = [
    ['no filter', {}, WINDOW_SIZE - 1, false],
    ['one id', { id: '00000000-0000-7000-8000-000000000000' }, 0, true],
    ['a schedule', { scheduleName: 'schedule 8' }, 10, true],
    ['the busiest schedule', { scheduleName: 'schedule 1' }, WINDOW_SIZE - 1, false],
    ['no schedule', { scheduleName: 'nope' }, 0, true],
    ['a job', { jobName: 'job 4' }, 50_000, true],
    ['a job that ran long ago', { jobName: 'rare job' }, 1, true],
    ['no job', { jobName: 'nope' }, 0, true],
    ['failures, long ago', { statuses: ['failed'] }, 2, true],
    ['running runs', { statuses: ['running'] }, 1, true],
    ['a status that never was', { statuses: ['canceled'] }, 0, true],
    ['successes', { statuses: ['succeeded'] }, WINDOW_SIZE - 1, false],
    [
      'an hour',
      { scheduledAtFromUnixMs: FIRST_RUN_AT, scheduledAtToUnixMs: FIRST_RUN_AT + HOUR },
      3_600,
      true,
    ],
    ['the last hour', { scheduledAtFromUnixMs: LAST_RUN_AT - HOUR }, 3_601, true],
    ['up to a day', { scheduledAtToUnixMs: FIRST_RUN_AT + HOUR }, 3_600, true],
    ['no time', { scheduledAtFromUnixMs: LAST_RUN_AT + HOUR }, 0, true],
    [
      'all of time',
      { scheduledAtFromUnixMs: 0, scheduledAtToUnixMs: Number.MAX_SAFE_INTEGER },
      WINDOW_SIZE - 1,
      false,
    ],
    ['a node, long ago', { nodeId: 'rare node' }, 0, false],
    ['a node within an hour', { nodeId: 'rare node', scheduledAtToUnixMs: FIRST_RUN_AT + HOUR }, 1, true],
    [
      'the busiest schedule within an hour',
      { scheduleName: 'schedule 1', scheduledAtToUnixMs: FIRST_RUN_AT + HOUR },
      1_800,
      true,
    ],
    ['a schedule and a job', { scheduleName: 'schedule 1', jobName: 'rare job' }, 0, true],
    ['a schedule and its failures', { scheduleName: 'schedule 1', statuses: ['failed'] }, 0, true],
    [
      'everything at once',
      {
        scheduleName: 'schedule 8',
        jobName: 'job 8',
        statuses: ['succeeded'],
        nodeId: 'node',
        scheduledAtFromUnixMs: 0,
      },
      9,
      true,
    ],
  ];

  it.each(SEARCHES)(
    'finds runs by %s without scanning the journal',
    async (_, search, total, totalIsExact) => {
      const { page, scans } = await findRuns(search);
      expect(page).toMatchObject({ total, totalIsExact });
      expect(page.items.length).toBe(Math.min(total, 15));
      expectBounded(scans);
    },
  );

  it('finds the newest claim first', async () => {
    const { page } = await findRuns({});
    expect(page.items.map((run) => run.claimedAtUnixMs)).toEqual(
      Array.from({ length: 15 }, (_, index) => LAST_RUN_AT - index * 1_000),
    );
  });

  it.each(['claimedAtUnixMs', 'scheduledAtUnixMs', 'durationMs'] as const)(
    'sorts runs by %s without scanning the journal',
    async (sort) => {
      for (const search of [{}, { jobName: 'job 4' }, { scheduledAtToUnixMs: LAST_RUN_AT }]) {
        expectBounded((await findRuns(search, { sort })).scans);
      }
    },
  );

  it('reads the deepest page without scanning the journal', async () => {
    const { page, scans } = await findRuns({}, { offset: WINDOW_SIZE - 11 });
    expect(page.items.length).toBe(11);
    expectBounded(scans);
  });

  it.each<[string, HistoryStep & RunHistorySearch]>([
    ['the newest', { limit: 100 }],
    ['a deep step', { limit: 100, beforeId: smallestIdAt(FIRST_RUN_AT + HOUR) }],
    ['the busiest schedule', { scheduleName: 'schedule 1', limit: 100 }],
    [
      'the busiest schedule, deep',
      { scheduleName: 'schedule 1', limit: 100, beforeId: smallestIdAt(FIRST_RUN_AT + HOUR) },
    ],
    ['a job', { jobName: 'job 4', limit: 100 }],
    ['a job, deep', { jobName: 'job 4', limit: 10, beforeId: smallestIdAt(FIRST_RUN_AT + HOUR) }],
    ['failures, long ago', { statuses: ['failed'], limit: 1 }],
    ['successes', { statuses: ['succeeded'], limit: 100 }],
  ])(
    'walks through runs by %s, and reads what it answers with',
    async (_, { limit, beforeId, ...search }) => {
      const { executor, scans } = explaining();
      const step = { limit, ...(beforeId === undefined ? {} : { beforeId }) };
      const { items, nextBeforeId } = await new RunHistoryStore(schema).find(executor, search, step);
      expect(items).toHaveLength(limit);
      expect(nextBeforeId).toBe(items.at(-1)?.id);
      expect(Math.max(...scans.map(rowsRead))).toBeLessThanOrEqual(limit + 2);
    },
  );

  it.each([
    ...SEARCHES.slice(2),
    ['a reason that never was', { reasons: ['timeout'] }, 0],
  ] as typeof SEARCHES)(
    'walks through runs by %s, looking at no more than a step allows',
    async (_, search) => {
      const { executor, scans } = explaining();
      await new RunHistoryStore(schema).find(executor, search, { limit: 100 });
      const ofRuns = scans.filter((scan) => scan['Relation Name'] === 'crn_run');
      expect(ofRuns.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
      expect(Math.max(0, ...ofRuns.map(rowsRead))).toBeLessThanOrEqual(STEP_SIZE);
    },
  );

  it.each<[string, RunSelection, number]>([
    ['the newest', { limit: 100 }, 100],
    ['a schedule', { scheduleName: 'schedule 8', limit: 100 }, 10],
    ['the busiest schedule', { scheduleName: 'schedule 1', limit: 100 }, 100],
    [
      'the busiest schedule, deep',
      { scheduleName: 'schedule 1', limit: 100, beforeId: smallestIdAt(FIRST_RUN_AT + HOUR) },
      100,
    ],
    ['no schedule', { scheduleName: 'nope', limit: 100 }, 0],
    ['a job that ran long ago', { jobName: 'rare job', limit: 100 }, 1],
    ['failures, long ago', { statuses: ['failed'], limit: 100 }, 2],
    ['whatever has ended', { statuses: ['failed', 'succeeded'], limit: 100 }, 100],
  ])('lists runs by %s, and reads little more than it answers with', async (_, selection, total) => {
    const { executor, scans } = explaining();
    expect(await new JournalStore(schema).list(executor, selection)).toHaveLength(total);
    expect(Math.max(...scans.map(rowsRead))).toBeLessThanOrEqual(2 * selection.limit);
  });

  it('finds by many steps what is rare, and nothing twice', async () => {
    const { executor, scans } = explaining();
    const history = new RunHistoryStore(schema);
    const search: RunHistorySearch = { nodeId: 'rare node', scheduledAtToUnixMs: LAST_RUN_AT };
    const found: string[] = [];
    let step: HistoryStep | undefined = { limit: 15 };
    let steps = 0;
    while (step !== undefined) {
      const { items, nextBeforeId }: RunHistory = await history.find(executor, search, step);
      found.push(...items.map((run) => run.idempotencyKey));
      step = nextBeforeId === undefined ? undefined : { limit: 15, beforeId: nextBeforeId };
      steps += 1;
    }
    expect(found).toEqual(['9']);
    expect(steps).toBe(RUNS / STEP_SIZE + 1);
    expect(Math.max(...scans.map(rowsRead))).toBeLessThanOrEqual(STEP_SIZE);
  });

  it('finds one run by its id alone', async () => {
    const { executor, scans } = explaining();
    const [{ id } = { id: '' }] = await database.query<{ id: string }>('select id from crn_run limit 1');
    expect(await new RunPageStore(schema).findOne(executor, { id })).toMatchObject({ id });
    expect(scans.map(rowsRead)).toEqual([1]);
  });

  it.each<[string, AuditSearch, number, boolean]>([
    ['no filter', {}, WINDOW_SIZE - 1, false],
    ['a target', { target: 'schedule 5' }, 300, true],
    ['a target that had other names', { target: 'schedule 2000' }, 600, true],
    ['such a target within an hour', { target: 'schedule 2000', atToUnixMs: FIRST_RUN_AT + HOUR }, 8, true],
    ['an actor', { actorId: 'nobody' }, 0, false],
    [
      'an actor within an hour',
      { actorId: 'actor', atFromUnixMs: FIRST_RUN_AT, atToUnixMs: FIRST_RUN_AT + HOUR },
      3_600,
      true,
    ],
    ['an outcome since a time', { outcome: 'denied', atFromUnixMs: FIRST_RUN_AT + 299_000_000 }, 0, true],
  ])('finds audit records by %s without scanning the trail', async (_, search, total, totalIsExact) => {
    const { executor, scans } = explaining();
    const page = await new AuditPageStore(schema).find(executor, search, { offset: 0, limit: 15 });
    expect(page).toMatchObject({ total, totalIsExact });
    const ofTrail = scans.filter((scan) => scan['Relation Name'] === 'crn_audit');
    expectBounded(ofTrail);
    const index = search.target === undefined ? 'crn_audit_pkey' : 'crn_audit_target_idx';
    expect(new Set(ofTrail.flatMap(indexesIn))).toEqual(new Set([index]));
  });

  it.each([
    ['no job is held', []],
    ['a job is held', ['job 1']],
    ['most jobs are held', Array.from({ length: 19 }, (_, index) => `job ${index + 1}`)],
  ])('finds what fires next by its index where %s', async (_, exceptJobNames) => {
    const { executor, scans } = explaining();
    const limit = 51;
    const range = { afterUnixMs: 0, untilUnixMs: SCHEDULES };
    const found = await new UpcomingStore(schema).find(executor, { ...range, exceptJobNames }, limit);
    expect(found).toHaveLength(limit);
    expect(scans.map((scan) => scan['Index Name'])).toEqual(['crn_schedule_due_idx']);
    // The schedules of the other jobs, and those that are passed over on the way to them.
    const jobs = 20;
    expect(Math.max(...scans.map(rowsRead))).toBeLessThanOrEqual(
      (limit * jobs) / (jobs - exceptJobNames.length) + jobs,
    );
  });

  it.each<[string, ScheduleSearch, number]>([
    ['no filter', {}, SCHEDULES],
    ['a part of the name', { name: 'schedule 9999' }, 11],
    ['a job', { jobName: 'job 7' }, SCHEDULES / 20],
  ])('finds schedules by %s without touching the journal', async (_, search, total) => {
    const { executor, scans } = explaining();
    const page = await new SchedulePageStore(schema).find(executor, search, { offset: 0, limit: 15 });
    expect(page).toMatchObject({ total, totalIsExact: true });
    expect(new Set(scans.map((scan) => scan['Relation Name']))).toEqual(new Set(['crn_schedule']));
  });
});

function scansIn(node: PlanNode): PlanNode[] {
  const own = node['Relation Name'] === undefined ? [] : [node];
  return [...own, ...(node.Plans ?? []).flatMap(scansIn)];
}

/** By which indexes a node finds its rows; a bitmap has a node of its own. */
function indexesIn(node: PlanNode): string[] {
  const own = node['Index Name'] === undefined ? [] : [node['Index Name']];
  return [...own, ...(node.Plans ?? []).flatMap(indexesIn)];
}

function rowsRead(scan: PlanNode): number {
  return (scan['Actual Rows'] + (scan['Rows Removed by Filter'] ?? 0)) * scan['Actual Loops'];
}

function expectBounded(scans: readonly PlanNode[]): void {
  expect(scans.map((scan) => scan['Node Type'])).not.toContain('Seq Scan');
  for (const scan of scans) {
    expect(rowsRead(scan)).toBeLessThanOrEqual(WINDOW_SIZE);
  }
}
