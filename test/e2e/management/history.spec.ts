import type { Run } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { type Answer, ManagementApp, YEARLY } from './support/management-app.js';

interface Step {
  readonly items: readonly Run[];
  readonly nextCursor?: string;
}

const definition = { jobName: 'report', trigger: YEARLY };

function down(from: number, to: number, by = 1): number[] {
  return Array.from({ length: Math.floor((from - to) / by) + 1 }, (_, index) => from - index * by);
}

describe.each(['express', 'fastify'] as const)('the history of runs on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter });
    await app.call('schedule/create', { name: 'busy', ...definition });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  beforeEach(async () => {
    await database.query('truncate crn_run');
  });

  /** Journals runs of the schedule `busy` between two seconds of the epoch, one a second. */
  async function journal(from: number, to: number): Promise<void> {
    await database.query(
      `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms, claimed_at_unix_ms,
         status, reason, missed_count, attempt, recoveries, idempotency_key, params, error, created_at_unix_ms, created_by)
       select (lpad(to_hex(second * 1000 / 65536), 8, '0') || '-' || lpad(to_hex(second * 1000 % 65536), 4, '0')
           || '-7000-8000-000000000000')::uuid,
         s.id, s.name, s.job_name, 'manual', second * 1000, second * 1000,
         case when second % 3 = 0 then 'failed' else 'succeeded' end,
         case when second % 6 = 0 then 'timeout' when second % 3 = 0 then 'handler_error' end,
         0, 1, 0, second::text, '{"secret":"of-params"}', 'of-error', 1, 'system'
       from generate_series($1::bigint, $2::bigint) second, crn_schedule s where s.name = 'busy'`,
      [from, to],
    );
  }

  async function step(params: object): Promise<Step> {
    const answer = await app.call('run/find_cursor', params);
    expect(answer).toMatchObject({ status: 200, code: 0 });
    return answer.data as Step;
  }

  /** Walks to the end, and returns the second of each run. */
  async function walk(params: object, onStep: () => Promise<void> = async () => {}): Promise<number[]> {
    const seconds: number[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined;) {
      const { items, nextCursor }: Step = await step({ ...params, ...(cursor === '' ? {} : { cursor }) });
      seconds.push(...items.map((run) => run.scheduledAtUnixMs / 1_000));
      cursor = nextCursor;
      await onStep();
    }
    return seconds;
  }

  it('goes from the newest claim back, thirty at a time', async () => {
    await journal(1, 65);
    const first = await step({});
    expect(first.items.map((run) => run.scheduledAtUnixMs / 1_000)).toEqual(down(65, 36));
    expect(first.nextCursor).toMatch(/^[\w-]{22}$/);
    expect(await walk({})).toEqual(down(65, 1));
    expect(await walk({ limit: 1 })).toEqual(down(65, 1));
    expect((await step({ limit: 100 })).nextCursor).toBeUndefined();
    expect(await step({ limit: 65 })).not.toHaveProperty('nextCursor');
  });

  it('leaves out nothing and repeats nothing while new runs arrive', async () => {
    await journal(1, 50);
    let newest = 50;
    const seconds = await walk({ limit: 7 }, async () => {
      newest += 5;
      await journal(newest - 4, newest);
    });
    expect(seconds).toEqual(down(50, 1));
    expect(newest).toBeGreaterThan(80);
  });

  it('leaves out nothing while old runs are deleted, and the run of the cursor with them', async () => {
    await journal(1, 20);
    const { nextCursor } = await step({ limit: 5 });
    await database.query('delete from crn_run where scheduled_at_unix_ms in (16000, 15000)');
    expect(await walk({ cursor: nextCursor, limit: 100 })).toEqual(down(14, 1));
  });

  it('finds by each filter, and by all of them', async () => {
    await journal(1, 30);
    expect(await walk({ status: 'failed', limit: 4 })).toEqual(down(30, 3, 3));
    expect(await walk({ reason: 'timeout', limit: 2 })).toEqual(down(30, 6, 6));
    expect(await walk({ scheduleName: 'busy', limit: 9 })).toEqual(down(30, 1));
    expect(await walk({ scheduleName: 'nope' })).toEqual([]);
    expect(await walk({ jobName: 'report', limit: 9 })).toEqual(down(30, 1));
    expect(await walk({ jobName: 'repor' })).toEqual([]);
    expect(await walk({ nodeId: 'nope' })).toEqual([]);
    expect(await walk({ status: 'running' })).toEqual([]);
    const range = { scheduledAtFromUnixMs: 10_000, scheduledAtToUnixMs: 20_000 };
    expect(await walk({ ...range, limit: 4 })).toEqual(down(20, 10));
    const everything = {
      scheduleName: 'busy',
      jobName: 'report',
      status: 'failed',
      reason: 'timeout',
      ...range,
    };
    expect(await walk({ ...everything, limit: 1 })).toEqual([18, 12]);
  });

  it('finds the runs of every schedule that had the name', async () => {
    await journal(1, 2);
    await app.call('schedule/create', { name: 'other', ...definition });
    await app.call('schedule/patch', { name: 'busy', newName: 'busier' });
    await app.call('schedule/patch', { name: 'other', newName: 'busy' });
    await journal(3, 4);
    expect(await walk({ scheduleName: 'busy', limit: 1 })).toEqual([4, 3, 2, 1]);
    expect(await walk({ scheduleName: 'other' })).toEqual([4, 3]);
    await app.call('schedule/patch', { name: 'busy', newName: 'other' });
    await app.call('schedule/patch', { name: 'busier', newName: 'busy' });
  });

  it('says why, and never holds params or errors', async () => {
    await journal(6, 6);
    const answer = await app.envelope('run/find_cursor', {});
    expect(answer.text).not.toMatch(/of-params|of-error|"params"|"error"/);
    expect(answer.data).toMatchObject({
      items: [{ status: 'failed', reason: 'timeout', idempotencyKey: '6' }],
    });
    expect((await app.call('run/find_page', { reason: 'timeout' })).data).toMatchObject({
      total: 1,
      items: [{ reason: 'timeout', error: 'of-error' }],
    });
    expect((await app.call('run/find_page', {})).text).not.toContain('of-params');
  });

  it('shows what a run is for, and what it repeats', async () => {
    await app.call('schedule/create', {
      name: 'fails',
      ...definition,
      jobName: 'failing',
      retry: { maxAttempts: 2, backoffMs: 0 },
    });
    await app.call('schedule/backfill', {
      name: 'fails',
      fromUnixMs: Date.UTC(2020, 0, 1),
      toUnixMs: Date.UTC(2020, 0, 2),
    });
    await untilTrue('both attempts failed', async () => {
      const { items } = await step({ scheduleName: 'fails', reason: 'handler_error' });
      return items.length === 2;
    });
    const [retry, first] = (await step({ scheduleName: 'fails' })).items;
    const occurrence = { occurrenceAtUnixMs: Date.UTC(2020, 0, 1), idempotencyKey: first?.idempotencyKey };
    expect(first).toMatchObject({ origin: 'backfill', attempt: 1, ...occurrence });
    expect(retry).toMatchObject({ origin: 'retry', attempt: 2, repeatsRunId: first?.id, ...occurrence });
    expect(await app.call('run/find_one', { id: retry?.id })).toMatchObject({
      data: { repeatsRunId: first?.id, reason: 'handler_error', ...occurrence },
    });
  });

  it.each([
    [{ cursor: 'next' }, 2706],
    [{ cursor: '' }, 2706],
    [{ cursor: 'A'.repeat(22) }, 2706],
    [{ cursor: '/////////////////////w' }, 2706],
    [{ cursor: 'AZcPLmwAcACAAAAAAAAAAQ==' }, 2706],
    [{ cursor: 'AZcPLmwAcACAAAAAAAAAAQA' }, 2706],
    [{ cursor: '01970f2e-6c00-7000-8000-000000000001' }, 2706],
    [{ cursor: "' or ''='" }, 2706],
    [{ cursor: 7 }, 1400],
    [{ cursor: null }, 1400],
    [{ limit: 0 }, 2706],
    [{ limit: 101 }, 2706],
    [{ limit: -1 }, 2706],
    [{ limit: 1.5 }, 1400],
    [{ limit: '10' }, 1400],
    [{ reason: 'because' }, 2706],
    [{ status: 'lost' }, 2706],
    [{ jobName: 'a\0b' }, 2706],
    [{ page: 2 }, 1400],
  ])('refuses %j', async (params, code) => {
    const answer: Answer = await app.call('run/find_cursor', params);
    expect(answer).toMatchObject({ status: code === 1400 ? 400 : 200, code, data: null });
  });

  it('is where a page that lies too deep points', async () => {
    const answer = await app.call('run/find_page', {}, { meta: { page: 101, size: 1_000 } });
    expect(answer).toMatchObject({ code: 2706, message: expect.stringContaining('find_cursor') });
    expect(await app.call('run/find_cursor', {}, { meta: { page: 1 } })).toMatchObject({ code: 1400 });
  });
});
