import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ADMIN, ManagementApp, YEARLY } from './support/management-app.js';

const definition = { jobName: 'report', trigger: YEARLY };

const SCHEDULE = { name: 'input', ...definition };

/** What a body is answered with, at the route of an action. */
type Case = readonly [what: string, action: string, body: unknown, code: number, message: RegExp];

const SHAPE: readonly Case[] = [
  ['an array for the body', 'schedule/get', [], 1400, /the body must be an object, not an array/],
  [
    'an unknown field of the body',
    'schedule/get',
    { parameters: {} },
    1400,
    /the body has no field "parameters"; its fields are params, meta/,
  ],
  [
    'params that are an array',
    'schedule/get',
    { params: [] },
    1400,
    /params must be an object, not an array/,
  ],
  [
    'params that are null',
    'schedule/list_jobs',
    { params: 'x' },
    1400,
    /params must be an object, not a string/,
  ],
  ['a missing name', 'schedule/get', { params: {} }, 1400, /params\.name is missing/],
  ['no params', 'schedule/get', {}, 1400, /params\.name is missing/],
  [
    'a number for a name',
    'schedule/get',
    { params: { name: 5 } },
    1400,
    /params\.name must be a string, not the number 5/,
  ],
  [
    'null for a name',
    'schedule/get',
    { params: { name: null } },
    1400,
    /params\.name must be a string, not null/,
  ],
  [
    'an unknown field',
    'schedule/get',
    { params: { name: 'a', id: 1 } },
    1400,
    /params has no field "id"; its fields are name/,
  ],
  [
    'a field for an action without any',
    'schedule/list_jobs',
    { params: { a: 1 } },
    1400,
    /params has no field "a"; it has none/,
  ],
  [
    'meta for an action without pages',
    'schedule/list_jobs',
    { meta: { page: 1 } },
    1400,
    /meta has no field "page"; it has none/,
  ],
  [
    'a missing job',
    'schedule/create',
    { params: { name: 'x', trigger: YEARLY } },
    1400,
    /params\.jobName is missing/,
  ],
  [
    'a missing trigger',
    'schedule/create',
    { params: { name: 'x', jobName: 'report' } },
    1400,
    /params\.trigger is missing/,
  ],
  [
    'a trigger that is text',
    'schedule/create',
    create({ trigger: '* * * * *' }),
    1400,
    /params\.trigger must be an object, not a string/,
  ],
  [
    'an unknown field of a trigger',
    'schedule/create',
    create({ trigger: { ...YEARLY, jitter: 5 } }),
    1400,
    /params\.trigger has no field "jitter"/,
  ],
  [
    'a number for a kind',
    'schedule/create',
    create({ trigger: { kind: 1 } }),
    1400,
    /params\.trigger\.kind must be a string/,
  ],
  [
    'text for a rate',
    'schedule/create',
    create({ trigger: { kind: 'interval', everyMs: '1000' } }),
    1400,
    /params\.trigger\.everyMs must be a whole number/,
  ],
  [
    'a fraction for a rate',
    'schedule/create',
    create({ trigger: { kind: 'interval', everyMs: 1000.5 } }),
    1400,
    /not the number 1000\.5/,
  ],
  [
    'text for a flag',
    'schedule/create',
    create({ enabled: 'true' }),
    1400,
    /params\.enabled must be true or false, not a string/,
  ],
  [
    'a number for a flag',
    'schedule/create',
    create({ recover: 1 }),
    1400,
    /params\.recover must be true or false/,
  ],
  [
    'text for a time',
    'schedule/create',
    create({ startsAtUnixMs: '2030-01-01' }),
    1400,
    /params\.startsAtUnixMs must be a whole number/,
  ],
  [
    'null for a time',
    'schedule/create',
    create({ startsAtUnixMs: null }),
    1400,
    /params\.startsAtUnixMs .* not null/,
  ],
  [
    'a time that is not exact',
    'schedule/create',
    create({ startsAtUnixMs: 2 ** 53 }),
    1400,
    /a whole number between -9007199254740991 and/,
  ],
  ['a time with a fraction', 'schedule/create', create({ endsAtUnixMs: 1.5 }), 1400, /endsAtUnixMs/],
  [
    'a name that belongs to update',
    'schedule/create',
    create({ newName: 'y' }),
    1400,
    /params has no field "newName"/,
  ],
  [
    'a version that belongs to update',
    'schedule/create',
    create({ expectedVersion: 1 }),
    1400,
    /params has no field "expectedVersion"/,
  ],
  [
    'text for a version',
    'schedule/update',
    { params: { ...SCHEDULE, expectedVersion: '1' } },
    1400,
    /params\.expectedVersion must be a whole number/,
  ],
  [
    'text for a page',
    'schedule/find_page',
    { meta: { page: '1' } },
    1400,
    /meta\.page must be a whole number.*not a string/,
  ],
  [
    'a fraction of a page',
    'run/find_page',
    { meta: { page: 1.5 } },
    1400,
    /meta\.page must be a whole number/,
  ],
  [
    'an unknown field of meta',
    'run/find_page',
    { meta: { limit: 5 } },
    1400,
    /meta has no field "limit"; its fields are page, size, sort/,
  ],
  ['a sort that is text', 'run/find_page', { meta: { sort: 'id' } }, 1400, /meta\.sort must be an object/],
  [
    'an unknown field of sort',
    'run/find_page',
    { meta: { sort: { field: 'durationMs', nulls: 'last' } } },
    1400,
    /meta\.sort has no field "nulls"/,
  ],
  ['a run without its id', 'run/find_one', { params: { scheduleName: 'a' } }, 1400, /params\.id is missing/],
];

const MEANING: readonly Case[] = [
  ['a trigger without a kind', 'schedule/create', create({ trigger: {} }), 2703, /kind/],
  ['an unknown kind', 'schedule/create', create({ trigger: { kind: 'yearly' } }), 2703, /kind/],
  [
    'a field of another kind',
    'schedule/create',
    create({ trigger: { ...YEARLY, everyMs: 5000 } }),
    2703,
    /"everyMs" belongs to the kind "interval"/,
  ],
  [
    'a zero of another kind',
    'schedule/create',
    create({ trigger: { ...YEARLY, everyMs: 0 } }),
    2703,
    /"everyMs" belongs/,
  ],
  [
    'an empty text of another kind',
    'schedule/create',
    create({ trigger: { kind: 'interval', everyMs: 5000, expr: '' } }),
    2703,
    /"expr" belongs/,
  ],
  [
    'an empty zone of another kind',
    'schedule/preview_fires',
    { params: { trigger: { kind: 'once', atUnixMs: 1, timezone: '' } } },
    2703,
    /"timezone" belongs/,
  ],
  [
    'a bad expression',
    'schedule/create',
    create({ trigger: { kind: 'cron', expr: '99 * * * *' } }),
    2703,
    /99/,
  ],
  [
    'a bad time zone',
    'schedule/preview_fires',
    { params: { trigger: { ...YEARLY, timezone: 'Mars/Base' } } },
    2703,
    /Mars/,
  ],
  [
    'a rate below a second',
    'schedule/preview_fires',
    { params: { trigger: { kind: 'interval', everyMs: 999 } } },
    2703,
    /1000|1 s/,
  ],
  [
    'a single fire without a time',
    'schedule/create',
    create({ trigger: { kind: 'once' } }),
    2703,
    /atUnixMs/,
  ],
  [
    'a single fire in the past',
    'schedule/create',
    create({ trigger: { kind: 'once', atUnixMs: 1 } }),
    2706,
    /never fire/,
  ],
  [
    'an unknown job',
    'schedule/create',
    create({ jobName: 'nope' }),
    2704,
    /Registered: "cleanup", "failing", "report"/,
  ],
  [
    'an unknown policy',
    'schedule/create',
    create({ misfirePolicy: 'retry' }),
    2706,
    /misfirePolicy must be one of fire_now, skip/,
  ],
  ['a negative timeout', 'schedule/create', create({ timeoutMs: -1 }), 2706, /timeout/],
  [
    'a window that ends first',
    'schedule/preview_fires',
    { params: { trigger: YEARLY, startsAtUnixMs: 2, endsAtUnixMs: 2 } },
    2706,
    /endsAt must be after startsAt/,
  ],
  [
    'a time beyond all dates',
    'schedule/create',
    create({ startsAtUnixMs: Number.MAX_SAFE_INTEGER }),
    2706,
    /startsAt/,
  ],
  ['an empty name', 'schedule/create', create({ name: '' }), 2706, /name is required/],
  ['a name with NUL', 'schedule/create', create({ name: 'a\0b' }), 2706, /control characters/],
  [
    'a name of 129 characters',
    'schedule/create',
    create({ name: '🕐'.repeat(129) }),
    2706,
    /longer than 128/,
  ],
  ['a taken name', 'schedule/create', create({ name: 'input' }), 2701, /exists already/],
  ['an unknown schedule', 'schedule/pause', { params: { name: 'nope' } }, 2700, /no schedule named "nope"/],
  ['an unknown schedule with NUL', 'schedule/delete', { params: { name: 'a\0b' } }, 2700, /no schedule/],
  ['a lone surrogate', 'schedule/get', { params: { name: '\uD800' } }, 2700, /no schedule/],
  ['page zero', 'schedule/find_page', { meta: { page: 0 } }, 2706, /meta\.page must be at least 1, not 0/],
  ['a negative page', 'run/find_page', { meta: { page: -1 } }, 2706, /meta\.page must be at least 1, not -1/],
  [
    'a page beyond all',
    'run/find_page',
    { meta: { page: 1_000_000_000 } },
    2706,
    /beyond the first 100000 items.*narrow the filters/,
  ],
  ['a page beyond all schedules', 'schedule/find_page', { meta: { page: 101, size: 1000 } }, 2706, /narrow/],
  [
    'a page of a size beyond all',
    'audit/find_page',
    { meta: { page: Number.MAX_SAFE_INTEGER, size: 1000 } },
    2706,
    /narrow/,
  ],
  ['a size of zero', 'schedule/find_page', { meta: { size: 0 } }, 2706, /meta\.size must be from 1 to 1000/],
  [
    'a size that is too large',
    'schedule/find_page',
    { meta: { size: 1001 } },
    2706,
    /meta\.size must be from 1 to 1000/,
  ],
  [
    'a sort by no column',
    'schedule/find_page',
    { meta: { sort: { field: 'params' } } },
    2706,
    /meta\.sort\.field must be one of name,/,
  ],
  [
    'a sort in no direction',
    'schedule/find_page',
    { meta: { sort: { field: 'name', direction: 'up' } } },
    2706,
    /asc or desc/,
  ],
  [
    'an unknown status',
    'run/find_page',
    { params: { status: 'lost' } },
    2706,
    /params\.status must be one of running,/,
  ],
  [
    'an unknown kind to find',
    'schedule/find_page',
    { params: { kind: 'rate' } },
    2706,
    /params\.kind must be one of cron,/,
  ],
  ['NUL to find', 'run/find_page', { params: { nodeId: 'a\0' } }, 2706, /params\.nodeId contains NUL/],
  ['an id that is none', 'run/find_one', { params: { id: "' or 1=1 --" } }, 2001, /no run with the id/],
];

function create(changes: object): unknown {
  return { params: { name: 'other', ...definition, ...changes } };
}

describe.each(['express', 'fastify'] as const)('input on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter });
    await app.manager.create({ name: 'input', ...definition });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it.each([...SHAPE, ...MEANING])('refuses %s', async (_, action, body, code, message) => {
    const status = code === 1400 ? 400 : 200;
    const expected = { status, code, message: expect.stringMatching(message), data: null };
    expect(await app.post(`/sys/cron/${action}`, body)).toMatchObject(expected);
    if (typeof body === 'object' && body !== null && !Array.isArray(body) && !('parameters' in body)) {
      const [resource, name] = action.split('/');
      const envelope = { resource: `sys/cron/${resource}`, action: name, ...body };
      expect(await app.post('', envelope)).toMatchObject(expected);
    }
    expect((await app.manager.list()).map((schedule) => schedule.name)).toEqual(['input']);
  });

  it('refuses what the envelope lacks or has too much of', async () => {
    expect(await app.post('', { action: 'get' })).toMatchObject({
      code: 1400,
      message: 'the body.resource is missing.',
    });
    expect(await app.post('', { resource: 'sys/cron/run', action: 7 })).toMatchObject({ code: 1400 });
    expect(await app.post('', { resource: 'sys/cron/run', action: 'find_page', id: 1 })).toMatchObject({
      code: 1400,
    });
  });

  it.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])(
    'takes %s for an unknown field',
    async (key) => {
      for (const body of [
        `{"params":{"name":"input","${key}":{"name":"x"}}}`,
        `{"${key}":{"params":{"name":"input"}}}`,
        `{"params":{"name":"input"},"meta":{"${key}":1}}`,
      ]) {
        const answer = await app.post('/sys/cron/schedule/get', body);
        // Fastify's own parser refuses the first two before anybody sees them.
        expect([body, answer.status]).toEqual([body, 400]);
      }
    },
  );

  it('keeps params as they are given, whatever their keys', async () => {
    const params = {
      constructorName: 'x',
      'a.b': [1, null, { '': '\0' }],
      big: 1e300,
      toString: 'own',
      emoji: '🕐',
    };
    const created = await app.call('schedule/create', { name: 'odd', ...definition, params });
    expect(created).toMatchObject({ code: 0, data: { params } });
    expect((await app.manager.get('odd')).schedule.params).toEqual(params);
    await app.manager.delete('odd');
  });

  it('bounds params in depth', async () => {
    const createNested = async (depth: number) =>
      app.post(
        '/sys/cron/schedule/create',
        `{"params":{"name":"deep","jobName":"report","trigger":${JSON.stringify(YEARLY)},"params":${'['.repeat(depth)}${']'.repeat(depth)}}}`,
      );
    expect(await createNested(100)).toMatchObject({ code: 0 });
    await app.manager.delete('deep');
    for (const depth of [101, 10_000]) {
      const message = 'params are nested deeper than 100 levels.';
      expect(await createNested(depth)).toMatchObject({ status: 200, code: 2706, message });
    }
  });

  it.each([
    ['no media type', { 'content-type': '' }],
    ['text', { 'content-type': 'text/plain' }],
    ['a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['a media type that only starts like JSON', { 'content-type': 'application/jsonp' }],
  ])('refuses %s', async (_, headers) => {
    const answer = await app.post('/sys/cron/schedule/pause', '{"params":{"name":"input"}}', { headers });
    expect([400, 415]).toContain(answer.status);
    expect((await app.manager.get('input')).schedule.state).toBe('armed');
  });

  it('takes a charset', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    expect(await app.call('schedule/get', { name: 'input' }, { headers })).toMatchObject({ code: 0 });
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of a neighbouring site', { 'sec-fetch-site': 'same-site', origin: 'https://evil.example.com' }],
    ['of an older browser', { origin: 'https://evil.example.com' }],
    ['of an opaque origin', { origin: 'null' }],
  ])('refuses pages %s', async (_, headers) => {
    const answer = await app.call('schedule/pause', { name: 'input' }, { headers });
    expect(answer).toMatchObject({ status: 403, code: 1100, data: null });
    expect((await app.manager.get('input')).schedule.state).toBe('armed');
    const [record] = await database.query('select * from crn_audit order by id desc limit 1');
    expect(record).toMatchObject({ outcome: 'denied', action: 'pause', target: 'input', actor_id: ADMIN.id });
  });

  it('answers pages of its own origin', async () => {
    const { host, origin } = new URL(app.baseUrl);
    for (const headers of [
      { 'sec-fetch-site': 'same-origin', origin: 'https://behind.a.proxy' },
      { 'sec-fetch-site': 'none' },
      { origin, host },
    ]) {
      expect(await app.call('schedule/list_jobs', {}, { headers })).toMatchObject({ code: 0 });
    }
  });

  it('records a malformed attempt to change something, and none to read', async () => {
    const before = await database.query('select id from crn_audit');
    await app.call('schedule/pause', { name: 'input', force: true, password: 'hunter2' });
    await app.call('schedule/get', { name: 'input', force: true });
    const records = await database.query('select * from crn_audit order by id');
    expect(records.slice(before.length)).toMatchObject([
      {
        action: 'pause',
        target: 'input',
        outcome: 'failed',
        code: 1400,
        actor_id: 'u-1',
        params: { name: 'input', force: true, password: '[redacted]' },
      },
    ]);
  });
});
