import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { type Adapter, ManagementApp, YEARLY } from './support/management-app.js';

interface Place {
  readonly globalPrefix?: string;
  readonly versioning?: boolean;
}

const PLACES: readonly [string, Place][] = [
  ['without a prefix', {}],
  ['under a global prefix', { globalPrefix: 'v9' }],
  ['with URI versioning', { versioning: true }],
  ['with both', { globalPrefix: 'v9', versioning: true }],
];

const VARIANTS = (['express', 'fastify'] as const).flatMap((adapter) =>
  PLACES.map(([name, place]): [Adapter, string, Place] => [adapter, name, place]),
);

describe.each(VARIANTS)('the doors on %s, %s', (adapter, _, place) => {
  let database: TestDatabase;
  let app: ManagementApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    app = await ManagementApp.start({ url: database.url, adapter, ...place });
  });

  afterAll(async () => {
    await app?.close();
    await database?.drop();
  });

  it('answers every action at its own route', async () => {
    expect(await app.call('schedule/list_jobs')).toMatchObject({
      status: 200,
      code: 0,
      message: 'success',
      data: ['cleanup', 'failing', 'report'],
    });
    const created = await app.call('schedule/create', { name: 'a', jobName: 'report', trigger: YEARLY });
    expect(created).toMatchObject({
      status: 200,
      code: 0,
      data: { name: 'a', version: 1, createdBy: 'u-1' },
    });
  });

  it('answers the same through the envelope', async () => {
    const direct = await app.call('schedule/get', { name: 'a' });
    const enveloped = await app.envelope('schedule/get', { name: 'a' });
    expect(direct).toMatchObject({ status: 200, code: 0 });
    expect(enveloped.text).toBe(direct.text);
  });

  it('knows no other resource, action or version', async () => {
    for (const answer of [
      await app.call('schedule/drop_table'),
      await app.call('secret/find_page'),
      await app.envelope('schedule/drop_table'),
      await app.envelope('schedule/constructor'),
      await app.post('', { resource: 'sys/cron/schedule', action: 'list_jobs', version: 'v2' }),
    ]) {
      expect(answer).toMatchObject({ status: 404, code: 1200, data: null });
    }
  });
});
