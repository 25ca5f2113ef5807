import { hostname } from 'node:os';
import type { Node } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { type CallOptions, ManagementApp, YEARLY } from './support/management-app.js';

/** Nobody is taken for dead while a test lasts. */
const PATIENT = { abandonedAfter: '10m' } as const;

describe.each(['express', 'fastify'] as const)('nodes on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter, store: { ...PATIENT, maxConcurrent: 3 } });
    await untilTrue('it has said that it is there', async () => (await app.manager.listNodes()).length === 1);
    await addNode('alive', 'far', 'lone', 1);
    await addNode('dead', 'away', 'lost', 11 * 60_000);
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  async function addNode(id: string, host: string, jobName: string, silentMs: number): Promise<void> {
    await database.query(
      `insert into crn_node (id, host, pid, job_names, slots, busy_slots, version, started_at_unix_ms, heartbeat_at_unix_ms)
       select $1, $2, 7, array[$3], 5, 1, '0.0.0', $4::bigint,
         (extract(epoch from clock_timestamp()) * 1000)::bigint - $4::bigint`,
      [id, host, jobName, silentMs],
    );
  }

  async function hostsFound(params: object, options?: CallOptions): Promise<string[]> {
    const { data } = await app.call('node/find_page', params, options);
    return (data as { readonly items: readonly Node[] }).items.map((node) => node.host);
  }

  async function namesFound(params: object): Promise<string[]> {
    const { data } = await app.call('schedule/find_page', params);
    return (data as { readonly items: readonly { readonly name: string }[] }).items.map(({ name }) => name);
  }

  it('are shown with what they execute, the newest start first', async () => {
    const answer = await app.call('node/find_page');
    expect(answer).toMatchObject({
      code: 0,
      data: {
        page: 1,
        size: 15,
        total: 3,
        totalIsExact: true,
        items: [
          {
            host: hostname(),
            pid: process.pid,
            version: expect.stringMatching(/^\d+\.\d+/),
            jobNames: ['cleanup', 'failing', 'report'],
            slots: 3,
            busySlots: 0,
            isAlive: true,
          },
          { host: 'away', isAlive: false },
          {
            host: 'far',
            pid: 7,
            version: '0.0.0',
            jobNames: ['lone'],
            slots: 5,
            busySlots: 1,
            isAlive: true,
          },
        ],
      },
    });
  });

  it('are found by each filter, sorted and page by page', async () => {
    expect(await hostsFound({ isAlive: false })).toEqual(['away']);
    expect(await hostsFound({ isAlive: true })).toEqual([hostname(), 'far']);
    expect(await hostsFound({ jobName: 'lone' })).toEqual(['far']);
    expect(await hostsFound({ jobName: 'lost', isAlive: true })).toEqual([]);
    expect(await hostsFound({ host: 'away' })).toEqual(['away']);
    expect(await hostsFound({}, { meta: { sort: { field: 'startedAtUnixMs' } } })).toEqual([
      'far',
      'away',
      hostname(),
    ]);
    expect(await hostsFound({}, { meta: { sort: { field: 'host', direction: 'desc' }, size: 1 } })).toEqual(
      [hostname(), 'away', 'far'].toSorted().toReversed().slice(0, 1),
    );
    expect(await hostsFound({}, { meta: { page: 2, size: 2 } })).toEqual(['far']);
    expect(await app.call('node/find_page', { jobName: 'a\0b' })).toMatchObject({ code: 2706 });
    expect(await app.call('node/find_page', { alive: true })).toMatchObject({ status: 400, code: 1400 });
    expect(await app.call('node/find_page', {}, { meta: { sort: { field: 'pid' } } })).toMatchObject({
      code: 2706,
    });
  });

  it('register the jobs that there are, wherever', async () => {
    expect((await app.call('schedule/list_jobs')).data).toEqual(['cleanup', 'failing', 'lone', 'report']);
    const lone = { name: 'of another node', jobName: 'lone', trigger: YEARLY };
    expect(await app.call('schedule/create', lone)).toMatchObject({ code: 0 });
    const lost = { name: 'of a dead node', jobName: 'lost', trigger: YEARLY };
    expect(await app.call('schedule/create', lost)).toMatchObject({ status: 200, code: 2704 });
  });

  it('leave orphans behind, which are shown and found', async () => {
    await app.call('schedule/create', { name: 'at home', jobName: 'report', trigger: YEARLY });
    expect(await namesFound({ orphaned: true })).toEqual([]);
    await database.query(`delete from crn_node where id = 'alive'`);
    expect(await namesFound({ orphaned: true })).toEqual(['of another node']);
    expect(await namesFound({ orphaned: false })).toEqual(['at home']);
    expect(await namesFound({ orphaned: true, name: 'home' })).toEqual([]);
    expect(await app.call('schedule/get', { name: 'of another node' })).toMatchObject({
      data: { schedule: { isOrphaned: true, state: 'armed' } },
    });
    expect(await app.call('schedule/find_page')).toMatchObject({
      data: {
        items: [
          { name: 'at home', isOrphaned: false },
          { name: 'of another node', isOrphaned: true },
        ],
      },
    });
  });
});
