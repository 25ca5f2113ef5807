import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import {
  ADMIN,
  ALL_PERMISSIONS,
  type Answer,
  ManagementApp,
  type User,
  YEARLY,
} from './support/management-app.js';

interface Action {
  readonly action: string;
  readonly permission: string;
  readonly params: (name: string) => unknown;
  /** The code of the answer to who is permitted. Default: success. */
  readonly code?: number;
}

const query = 'cron.schedule.query';
const manage = 'cron.schedule.manage';
const definition = { jobName: 'report', trigger: YEARLY };

/** A range with one occurrence of it. */
const PAST = { fromUnixMs: Date.UTC(2020, 0, 1), toUnixMs: Date.UTC(2020, 5, 1) };

const ACTIONS: readonly Action[] = [
  { action: 'schedule/find_page', permission: query, params: () => ({}) },
  { action: 'schedule/get', permission: query, params: (name) => ({ name }) },
  { action: 'schedule/list_jobs', permission: query, params: () => ({}) },
  { action: 'schedule/preview_fires', permission: query, params: () => ({ trigger: YEARLY }) },
  { action: 'schedule/create', permission: manage, params: (name) => ({ name: `${name}-2`, ...definition }) },
  {
    action: 'schedule/update',
    permission: manage,
    params: (name) => ({ name, ...definition, recover: true }),
  },
  { action: 'schedule/patch', permission: manage, params: (name) => ({ name, recover: true }) },
  { action: 'schedule/delete', permission: manage, params: (name) => ({ name }) },
  { action: 'schedule/pause', permission: manage, params: (name) => ({ name }) },
  { action: 'schedule/resume', permission: manage, params: (name) => ({ name }) },
  { action: 'schedule/trigger_now', permission: manage, params: (name) => ({ name }) },
  { action: 'run/find_page', permission: 'cron.run.query', params: () => ({}) },
  { action: 'schedule/preview_backfill', permission: query, params: (name) => ({ name, ...PAST }) },
  { action: 'schedule/backfill', permission: 'cron.run.manage', params: (name) => ({ name, ...PAST }) },
  {
    action: 'schedule/cancel_backfill',
    permission: 'cron.run.manage',
    params: (name) => ({ name, id: NO_RUN }),
    code: 2706,
  },
  { action: 'schedule/find_backfills', permission: query, params: (name) => ({ name }) },
  { action: 'schedule/hold', permission: manage, params: () => ({ jobName: 'cleanup' }) },
  { action: 'schedule/release', permission: manage, params: () => ({ jobName: 'cleanup' }) },
  { action: 'schedule/find_holds', permission: query, params: () => ({}) },
  { action: 'run/find_one', permission: 'cron.run.query', params: () => ({ id: NO_RUN }), code: 2001 },
  { action: 'run/find_cursor', permission: 'cron.run.query', params: () => ({}) },
  { action: 'run/cancel', permission: 'cron.run.manage', params: () => ({ id: NO_RUN }), code: 2001 },
  { action: 'run/cancel_all', permission: 'cron.run.manage', params: (name) => ({ name }) },
  { action: 'run/rerun', permission: 'cron.run.manage', params: () => ({ id: NO_RUN }), code: 2001 },
  { action: 'node/find_page', permission: query, params: () => ({}) },
  { action: 'audit/find_page', permission: 'cron.audit.query', params: () => ({}) },
];

const NO_RUN = '019a0000-0000-7000-8000-000000000000';

const DENIALS: readonly [string, number, number, (permission: string) => User | undefined][] = [
  ['nobody', 401, 1000, () => undefined],
  ['a user without an id', 401, 1000, () => ({ name: 'Ghost', permissions: ALL_PERMISSIONS })],
  ['a user without permissions', 403, 1100, () => ({ id: 'u-2' })],
  [
    'a user with every other permission',
    403,
    1100,
    (permission) => ({ id: 'u-3', permissions: ALL_PERMISSIONS.filter((other) => other !== permission) }),
  ],
];

describe.each(['express', 'fastify'] as const)('access on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  const doors = {
    'its own route': (...call: Parameters<ManagementApp['call']>) => app.call(...call),
    'the envelope': (...call: Parameters<ManagementApp['call']>) => app.envelope(...call),
  };

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  /** Everything that an action could change. What a fire that was accepted earlier does meanwhile does not count. */
  async function state(): Promise<unknown> {
    return database.query(`
      select
        (select json_agg(to_jsonb(s) - 'last_fire_at_unix_ms' order by id) from crn_schedule s) as schedules,
        (select count(*) from crn_fire_request) + (select count(*) from crn_run)
          + (select coalesce(sum(total - fired), 0) from crn_backfill where status = 'running') as fires,
        (select count(*) from crn_hold) as holds`);
  }

  async function denied(
    action: string,
  ): Promise<{ code: number; actor_id: string | null; target: string | null }[]> {
    return database.query(
      `select code, actor_id, target from crn_audit where outcome = 'denied' and resource || '/' || action = $1 order by id`,
      [`sys/cron/${action}`],
    );
  }

  async function anonymous(): Promise<{ action: string; attempts: string }[]> {
    return database.query(
      `select resource || '/' || action as action, attempts from crn_audit where code = 1000 order by id`,
    );
  }

  describe.each(Object.keys(doors) as (keyof typeof doors)[])('through %s', (door) => {
    it.each(ACTIONS)(
      'lets exactly the permitted use $action',
      async ({ action, permission, params, code: expected = 0 }) => {
        const name = `${door} ${action}`;
        await app.manager.create({ name, ...definition, enabled: action !== 'schedule/resume' });
        const before = await state();
        const deniedBefore = (await denied(action)).length;

        for (const [who, status, code, userOf] of DENIALS) {
          const answer = await doors[door](action, params(name), { user: userOf(permission) });
          expect([who, answer]).toMatchObject([who, { status, code, data: null }]);
          expect(answer.text).not.toContain('report');
        }
        expect(await state()).toEqual(before);

        const records = (await denied(action)).slice(deniedBefore);
        expect(records.filter((record) => record.code === 1100).map((record) => record.actor_id)).toEqual([
          'u-2',
          'u-3',
        ]);

        const user = { id: 'u-4', permissions: [permission] };
        const permitted = await doors[door](action, params(name), { user });
        expect(permitted).toMatchObject({ status: 200, code: expected });
      },
    );
  });

  it('counts anonymous attempts, and records at most one a minute for each action', async () => {
    const atOnce = await anonymous();
    expect(atOnce.map((record) => record.action.replace('sys/cron/', '')).sort()).toEqual(
      ACTIONS.map(({ action }) => action).sort(),
    );
    await app.close();
    const sums = new Map<string, number>();
    for (const { action, attempts } of await anonymous()) {
      sums.set(action, (sums.get(action) ?? 0) + Number(attempts));
    }
    // Two doors, each tried by nobody and by the user without an id.
    expect([...sums.values()]).toEqual(ACTIONS.map(() => 4));
    expect((await anonymous()).length).toBe(2 * ACTIONS.length);
  });
});

describe('what the default checker reads', () => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter: 'express' });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function listJobs(user: User): Promise<Answer> {
    return app.call('schedule/list_jobs', {}, { user });
  }

  it.each([
    ['an array', ['cron.schedule.query']],
    ['a string with spaces', 'openid cron.schedule.query'],
  ])('accepts permissions as %s', async (_, permissions) => {
    expect(await listJobs({ id: 'u', permissions })).toMatchObject({ status: 200, code: 0 });
  });

  it.each([
    ['a prefix', ['cron.schedule']],
    ['a longer one', 'cron.schedule.query.all'],
    ['a wildcard', ['*']],
    ['an object', { 'cron.schedule.query': true }],
    ['a number', 1],
    ['null', null],
  ])('does not take %s for a permission', async (_, permissions) => {
    expect(await listJobs({ id: 'u', permissions })).toMatchObject({ status: 403, code: 1100 });
  });

  it('keeps who made a change, with their name, and the facts of the request', async () => {
    const answer = await app.call(
      'schedule/create',
      { name: 'mine', ...definition },
      { user: ADMIN, headers: { 'x-request-id': 'req-7', 'user-agent': 'test/1' } },
    );
    expect(answer).toMatchObject({ code: 0, data: { createdBy: 'u-1' } });
    const page = await app.call('audit/find_page', { target: 'mine' });
    expect(page).toMatchObject({
      code: 0,
      data: {
        total: 1,
        items: [
          {
            actorId: 'u-1',
            actorName: 'Ada',
            resource: 'sys/cron/schedule',
            action: 'create',
            target: 'mine',
            outcome: 'success',
            code: 0,
            attempts: 1,
            requestId: 'req-7',
            userAgent: 'test/1',
            ip: expect.stringContaining('127.0.0.1'),
            after: { name: 'mine', version: 1 },
          },
        ],
      },
    });
  });
});
