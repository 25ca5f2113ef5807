import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { type Answer, type CallOptions, ManagementApp, YEARLY } from './support/management-app.js';

const definition = { jobName: 'report', trigger: YEARLY };

/** Texts that mean something to SQL, to a pattern, to a terminal, or to nobody. */
const HOSTILE = [
  "'; drop table crn_schedule; --",
  `" or ""="`,
  '\\',
  '%',
  '_',
  '$1',
  'a\tb',
  "' union select password from users --",
  '🕐👩‍👩‍👧',
  '\u202Etxt.exe',
  'שלום עולם',
  'O\'Brien "quoted" `x`',
  '{"a":1}',
  '../../etc/passwd',
  'x'.repeat(1_000),
];

describe.each(['express', 'fastify'] as const)('pages on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function namesFound(params: object, options?: CallOptions): Promise<string[]> {
    return namesIn(await app.call('schedule/find_page', params, options));
  }

  it('finds schedules by each filter, and by all of them', async () => {
    const hourly = { kind: 'interval', everyMs: 3_600_000 };
    await app.call('schedule/create', { name: 'b-1', ...definition });
    await app.call('schedule/create', { name: 'a_1', ...definition, enabled: false });
    await app.call('schedule/create', { name: 'a%1', ...definition, jobName: 'cleanup', trigger: hourly });
    await app.call('schedule/create', { name: 'A-1', ...definition });
    const byName = await database.query<{ name: string }>('select name from crn_schedule order by name');
    expect(await namesFound({})).toEqual(byName.map(({ name }) => name));
    expect(await namesFound({ name: '%' })).toEqual(['a%1']);
    expect(await namesFound({ name: '_' })).toEqual(['a_1']);
    expect(await namesFound({ name: 'A' })).toEqual(['A-1']);
    expect(await namesFound({ name: '' })).toHaveLength(4);
    expect(await namesFound({ jobName: 'cleanup' })).toEqual(['a%1']);
    expect(await namesFound({ jobName: 'clean' })).toEqual([]);
    expect(await namesFound({ kind: 'interval' })).toEqual(['a%1']);
    expect(await namesFound({ isEnabled: false })).toEqual(['a_1']);
    expect(await namesFound({ name: '1', kind: 'cron', isEnabled: true, jobName: 'report' })).toHaveLength(2);
  });

  it('pages and sorts schedules', async () => {
    const all = await namesFound({});
    const page = await app.call('schedule/find_page', {}, { meta: { page: 2, size: 3 } });
    expect(page).toMatchObject({ code: 0, data: { page: 2, size: 3, total: 4, totalIsExact: true } });
    expect(namesIn(page)).toEqual(all.slice(3));
    expect(await app.call('schedule/find_page', {}, { meta: { page: 3, size: 3 } })).toMatchObject({
      code: 0,
      data: { page: 3, total: 4, items: [] },
    });
    const sort = { field: 'name', direction: 'desc' };
    expect(await namesFound({}, { meta: { sort } })).toEqual(all.toReversed());
    const byNextFire = await namesFound({}, { meta: { sort: { field: 'nextFireAtUnixMs' } } });
    // The hourly one is next; the paused one has no next fire, and comes last in either direction.
    expect([byNextFire[0], byNextFire[3]]).toEqual(['a%1', 'a_1']);
    const last = await namesFound({}, { meta: { sort: { field: 'nextFireAtUnixMs', direction: 'desc' } } });
    expect(last[3]).toBe('a_1');
    await database.query('truncate crn_schedule');
  });

  it.each(HOSTILE)('takes %j for what it is, wherever a text may stand', async (text) => {
    for (const [action, field] of [
      ['schedule/find_page', 'name'],
      ['schedule/find_page', 'jobName'],
      ['run/find_page', 'scheduleName'],
      ['run/find_page', 'jobName'],
      ['run/find_page', 'nodeId'],
      ['run/find_page', 'id'],
      ['audit/find_page', 'actorId'],
      ['audit/find_page', 'target'],
      ['audit/find_page', 'action'],
      ['audit/find_page', 'resource'],
    ] as const) {
      expect([field, await app.call(action, { [field]: text })]).toMatchObject([
        field,
        { status: 200, code: 0, data: { total: 0, items: [] } },
      ]);
    }
    for (const meta of [{ sort: { field: text } }, { sort: { field: 'name', direction: text } }]) {
      expect(await app.call('schedule/find_page', {}, { meta })).toMatchObject({ status: 200, code: 2706 });
    }
    for (const action of ['get', 'delete', 'pause', 'resume', 'trigger_now']) {
      expect(await app.call(`schedule/${action}`, { name: text })).toMatchObject({ status: 200, code: 2700 });
    }
    await database.query('truncate crn_audit');
  });

  it.each(HOSTILE.filter((text) => !/\p{Cc}/u.test(text) && text.length <= 128))(
    'keeps a schedule named %j',
    async (name) => {
      expect(await app.call('schedule/create', { name, ...definition })).toMatchObject({
        code: 0,
        data: { name },
      });
      expect(await app.envelope('schedule/get', { name })).toMatchObject({
        code: 0,
        data: { schedule: { name } },
      });
      expect(await namesFound({ name })).toEqual([name]);
      expect(await app.call('audit/find_page', { target: name })).toMatchObject({ data: { total: 1 } });
      expect(await app.call('schedule/delete', { name })).toMatchObject({ code: 0, data: null });
    },
  );

  it('counts the characters of a name as people do', async () => {
    const name = '🕐'.repeat(128);
    expect(await app.call('schedule/create', { name, ...definition })).toMatchObject({
      code: 0,
      data: { name },
    });
    expect(await app.call('schedule/create', { name: `${name}🕐`, ...definition })).toMatchObject({
      code: 2706,
    });
    await app.call('schedule/delete', { name });
  });

  it('shows errors shortened on a page, and in full alone', async () => {
    await app.call('schedule/create', { name: 'failing', ...definition, jobName: 'failing' });
    await app.call('schedule/trigger_now', { name: 'failing' });
    const search = { scheduleName: 'failing', status: 'failed' };
    await untilTrue(
      'the run has failed',
      async () => itemsIn(await app.call('run/find_page', search)).length > 0,
    );
    const [run] = itemsIn(await app.call('run/find_page', search));
    expect(run?.['error']).toMatch(/^x{199}…$/);
    const alone = await app.call('run/find_one', { id: run?.['id'] });
    expect(alone).toMatchObject({
      code: 0,
      data: { ...run, error: expect.stringContaining('x'.repeat(500)) },
    });
    expect(await app.call('run/find_one', { id: run?.['id'], jobName: 'other' })).toMatchObject({
      code: 2001,
    });
  });

  it('finds runs by each filter, the newest claim first', async () => {
    for (const name of ['one', 'two', 'one']) {
      // Of the two fires of one name, the second is not skipped where the first still runs.
      await app.call('schedule/create', { name, ...definition, concurrencyPolicy: 'allow' });
      await app.call('schedule/trigger_now', { name });
    }
    await untilTrue('three runs', async () => (await found({ status: 'succeeded' })) === 3);
    async function found(params: object): Promise<number> {
      return itemsIn(await app.call('run/find_page', { jobName: 'report', ...params })).length;
    }
    const runs = itemsIn(await app.call('run/find_page', { jobName: 'report' }));
    const claims = runs.map((run) => Number(run['claimedAtUnixMs']));
    expect(claims).toEqual(claims.toSorted(ascending).toReversed());
    expect(await found({ scheduleName: 'one' })).toBe(2);
    expect(await found({ nodeId: runs[0]?.['nodeId'] })).toBe(3);
    expect(await found({ nodeId: 'other' })).toBe(0);
    const times = runs.map((run) => Number(run['scheduledAtUnixMs']));
    const [earliest, latest] = [Math.min(...times), Math.max(...times)];
    expect(await found({ scheduledAtFromUnixMs: earliest, scheduledAtToUnixMs: latest })).toBe(3);
    expect(await found({ scheduledAtFromUnixMs: latest + 1 })).toBe(0);
    expect(await found({ scheduledAtToUnixMs: earliest - 1 })).toBe(0);
    expect(await found({ scheduledAtToUnixMs: Number.MIN_SAFE_INTEGER })).toBe(0);
    await app.call('schedule/update', { name: 'two', newName: 'three', ...definition });
    expect(await found({ scheduleName: 'two' })).toBe(1);
    expect(await found({ scheduleName: 'three' })).toBe(1);
  });

  it('refuses a lost update', async () => {
    await app.call('schedule/create', { name: 'shared', ...definition });
    const patch = { name: 'shared', recover: true, expectedVersion: 1 };
    const answers = await Promise.all(Array.from({ length: 10 }, () => app.call('schedule/patch', patch)));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200));
    expect(answers.map(({ code }) => code).toSorted(ascending)).toEqual([
      0,
      ...Array.from({ length: 9 }, () => 2707),
    ]);
    expect(await app.call('schedule/delete', { name: 'shared', expectedVersion: 1 })).toMatchObject({
      code: 2707,
    });
    expect(await app.call('schedule/update', { ...patch, ...definition })).toMatchObject({ code: 2707 });
  });

  it('orders concurrent changes without an expectation', async () => {
    const changes = Array.from({ length: 12 }, (_, index) =>
      app.call('schedule/patch', { name: 'shared', params: index }),
    );
    expect((await Promise.all(changes)).map(({ code }) => code)).toEqual(changes.map(() => 0));
    expect(await app.call('schedule/get', { name: 'shared' })).toMatchObject({
      data: { schedule: { version: 14 } },
    });
  });

  it('gives a name to one of many that race for it', async () => {
    const racers = Array.from({ length: 8 }, (_, index) => `racer ${index}`);
    for (const name of racers) {
      await app.call('schedule/create', { name, ...definition });
    }
    const answers = await Promise.all(
      racers.map((name) => app.call('schedule/patch', { name, newName: 'the goal' })),
    );
    expect(answers.map(({ code }) => code).toSorted(ascending)).toEqual([
      0,
      ...racers.slice(1).map(() => 2701),
    ]);
    const creations = await Promise.all(
      racers.map(() => app.call('schedule/create', { name: 'another', ...definition })),
    );
    expect(creations.map(({ code }) => code).toSorted(ascending)).toEqual([
      0,
      ...racers.slice(1).map(() => 2701),
    ]);
  });

  it('patches what is given and keeps the rest, the pause included', async () => {
    const params = { keep: [1] };
    await app.call('schedule/create', {
      name: 'patched',
      ...definition,
      params,
      startsAtUnixMs: 1_000,
      retry: { maxAttempts: 3 },
      timeoutMs: 5_000,
    });
    await app.call('schedule/pause', {
      name: 'patched',
      note: 'moving house',
      untilUnixMs: 4_102_444_800_000,
    });
    expect(
      await app.call('schedule/patch', { name: 'patched', recover: true, startsAtUnixMs: null }),
    ).toMatchObject({
      code: 0,
      data: {
        params,
        recover: true,
        timeoutMs: 5_000,
        retry: { maxAttempts: 3, factor: 2 },
        state: 'paused',
        pauseNote: 'moving house',
        pausedUntilUnixMs: 4_102_444_800_000,
      },
    });
    const { data } = await app.call('schedule/get', { name: 'patched' });
    expect(data).not.toHaveProperty('schedule.startsAtUnixMs');
    expect(data).toMatchObject({ nextFiresUnixMs: [], nextFiresIfResumedUnixMs: { length: 5 } });
    const replaced = await app.call('schedule/update', { name: 'patched', ...definition });
    expect(replaced).toMatchObject({ data: { isEnabled: true, recover: false, timeoutMs: 0 } });
    expect(replaced.data).not.toHaveProperty('params');
  });

  it('fires once for repeated requests under one key, with params of their own', async () => {
    await app.call('schedule/create', { name: 'keyed', ...definition, params: 'its own' });
    const request = { name: 'keyed', idempotencyKey: 'ticket-1', params: { once: true } };
    const first = await app.call('schedule/trigger_now', request);
    expect(first).toMatchObject({ code: 0, data: { replayed: false } });
    expect(await app.call('schedule/trigger_now', request)).toMatchObject({
      code: 0,
      data: { ...(first.data as object), replayed: true },
    });
    await untilTrue('it has fired', () => executionsOf('keyed').length > 0);
    expect(executionsOf('keyed').map((execution) => execution.params)).toEqual([{ once: true }]);
    await app.call('schedule/pause', { name: 'keyed' });
    expect(await app.call('schedule/trigger_now', { name: 'keyed' })).toMatchObject({ code: 2702 });
    expect(await app.call('schedule/trigger_now', { name: 'keyed', evenIfPaused: true })).toMatchObject({
      code: 0,
    });
  });

  it('previews what a save would do', async () => {
    const trigger = { kind: 'cron', expr: '30 4 * * *', timezone: 'Europe/Berlin' };
    const preview = await app.call('schedule/preview_fires', { trigger });
    const saved = await app.call('schedule/create', { name: 'previewed', ...definition, trigger });
    expect(preview).toMatchObject({ code: 0, data: { nextFiresUnixMs: { length: 5 } } });
    expect(saved).toMatchObject({
      data: { nextFireAtUnixMs: (preview.data as { nextFiresUnixMs: number[] }).nextFiresUnixMs[0] },
    });
    expect(
      await app.call('schedule/preview_fires', { trigger: { kind: 'once', atUnixMs: 1 } }),
    ).toMatchObject({
      code: 0,
      data: { nextFiresUnixMs: [] },
    });
  });

  it('finds audit records by who, what and when', async () => {
    await database.query('truncate crn_audit');
    await app.call('schedule/create', {
      name: 'audited',
      ...definition,
      params: { apiKey: 'k-1', region: 'eu' },
    });
    await app.call(
      'schedule/patch',
      { name: 'audited', recover: true },
      { user: { id: 'u-9', permissions: 'cron.schedule.manage' } },
    );
    await app.call('schedule/patch', { name: 'audited', newName: '' }, {});
    await app.call('schedule/pause', { name: 'audited' }, { user: { id: 'u-10' } });
    const found = async (params: object) =>
      itemsIn(await app.call('audit/find_page', params)).map(({ action, outcome, code }) =>
        [action, outcome, code].join(' '),
      );
    expect(await found({})).toEqual([
      'pause denied 1100',
      'patch failed 2706',
      'patch success 0',
      'create success 0',
    ]);
    expect(await found({ actorId: 'u-9' })).toEqual(['patch success 0']);
    expect(await found({ action: 'patch', outcome: 'failed' })).toEqual(['patch failed 2706']);
    expect(await found({ target: 'audited', outcome: 'denied' })).toEqual(['pause denied 1100']);
    const [latest] = itemsIn(await app.call('audit/find_page', {}));
    const at = Number(latest?.['atUnixMs']);
    expect(await found({ atFromUnixMs: at, atToUnixMs: at })).toContain('pause denied 1100');
    expect(await found({ atFromUnixMs: at + 1 })).toEqual([]);
    const [created] = itemsIn(await app.call('audit/find_page', { action: 'create' }));
    expect(created).toMatchObject({ after: { params: { apiKey: '[redacted]', region: 'eu' } } });
    const ascending = await app.call('audit/find_page', {}, { meta: { sort: { field: 'atUnixMs' } } });
    expect(itemsIn(ascending)[0]).toMatchObject({ action: 'create' });
  });

  function executionsOf(scheduleName: string) {
    return app.executions.filter((execution) => execution.scheduleName === scheduleName);
  }
});

function itemsIn(answer: Answer): readonly Readonly<Record<string, unknown>>[] {
  return (answer.data as { readonly items: readonly Readonly<Record<string, unknown>>[] }).items;
}

function namesIn(answer: Answer): string[] {
  return itemsIn(answer).map((schedule) => String(schedule['name']));
}

function ascending(one: number, other: number): number {
  return one - other;
}
