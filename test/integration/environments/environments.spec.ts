import { DataSource } from 'typeorm';
import { cronStoreMigrations, StoreEnvironmentError, StoreSchemaError } from '../../../lib/index.js';
import { createTestDatabase, options, type TestDatabase } from '../../support/database.js';
import { job } from '../engine/support/jobs.js';
import { rejectionOf } from '../manager/support/still-store.js';
import { audited, EnvironmentApps, storedEnvironment } from './support/environment-apps.js';

const OTHER =
  'The schedules in this database belong to the environment "production", and this application is "staging": ' +
  'connect to another database, or take them over with `npx cron-store take-over --environment staging`.';
const NONE =
  'The schedules in this database belong to the environment "production", and this application declares none: ' +
  'set the option environment, or connect to another database.';

describe('the environment of a store', () => {
  const apps = new EnvironmentApps();
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await apps.closeAll();
    await database.drop();
  });

  it('is none where nobody declares any', async () => {
    await apps.start(database, {});
    await apps.start(database, {});
    expect(await storedEnvironment(database)).toBeNull();
  });

  it('is that of the first node that declares one, which is logged and on record', async () => {
    await apps.start(database, { environment: 'production' });
    await apps.start(database, { environment: 'production' });

    expect(await storedEnvironment(database)).toBe('production');
    expect(apps.said('log')).toEqual(['The store belongs to the environment "production" from now on.']);
    expect(await audited(database, 'adopt')).toEqual([
      { actor_id: 'system', outcome: 'success', code: 0, before: null, after: { environment: 'production' } },
    ]);
  });

  it('is not changed by who only manages', async () => {
    const manager = await apps.start(database, { environment: 'staging', execute: false });
    expect(await manager.manager.hold({})).toMatchObject({ heldBy: 'system' });
    expect(await storedEnvironment(database)).toBeNull();

    await apps.start(database, { environment: 'production' });
    expect(await rejectionOf(manager.manager.release({}))).toMatchObject({ code: 2708, message: OTHER });
  });

  it.each([
    ['a node of another environment', { environment: 'staging' }, OTHER],
    ['a node that declares none', {}, NONE],
    ['a manager of another environment', { environment: 'staging', execute: false }, OTHER],
    ['a manager that declares none', { execute: false }, NONE],
  ])('is told to %s, which does not start', async (_, store, message) => {
    await apps.start(database, { environment: 'production' });
    const other = await apps.compile(database, store);

    const error = await rejectionOf(other.module.init());
    expect(error).toBeInstanceOf(StoreEnvironmentError);
    expect(error).toMatchObject({ code: 2708, message });
    expect(await storedEnvironment(database)).toBe('production');
    const nodes = await database.query('select from crn_node');
    expect(nodes).toHaveLength(1);
  });

  it('stops nodes that declare none from claiming, once another declares one', async () => {
    const undeclared = await apps.start(database, {}, [job('work', () => undefined)]);
    await apps.start(database, { environment: 'production' });

    expect(await rejectionOf(undeclared.engine.runOnce())).toMatchObject({ code: 2708, message: NONE });
  });

  it('is that of exactly one of two where many nodes of both start at once', async () => {
    const nodes = await Promise.all(
      ['production', 'staging', 'production', 'staging', 'production', 'staging'].map(
        async (environment) => ({
          environment,
          app: await apps.compile(database, { environment }),
        }),
      ),
    );
    const started = await Promise.allSettled(nodes.map(({ app }) => app.module.init()));
    const winner = await storedEnvironment(database);

    expect(['production', 'staging']).toContain(winner);
    expect(started.map(({ status }) => status)).toEqual(
      nodes.map(({ environment }) => (environment === winner ? 'fulfilled' : 'rejected')),
    );
    expect(await audited(database, 'adopt')).toHaveLength(1);
  });

  it('has a column, without which the start says what to run', async () => {
    const [first] = cronStoreMigrations();
    const source = new DataSource({
      ...options(database.url),
      migrations: first === undefined ? [] : [first],
    });
    await source.initialize();
    await source.runMigrations();
    await source.destroy();
    const app = await apps.compile(database, { autoMigrate: false });

    const error = await rejectionOf(app.module.init());
    expect(error).toBeInstanceOf(StoreSchemaError);
    expect(error).toMatchObject({
      message:
        'The schema "public" is not ready for this version of nestjs-cron-store: the column crn_store.environment is missing. ' +
        'Run the migrations of `cronStoreMigrations({ schema })` with the migrations of your application, run `npx cron-store migrate up`, or set `autoMigrate: true`.',
    });
    await apps.start(database, { autoMigrate: true, environment: 'production' });
    expect(await storedEnvironment(database)).toBe('production');
  });

  it('leaves the version before its statements', async () => {
    await apps.start(database, { environment: 'production' });
    // The one statement of that version that writes the row.
    await database.query(
      `insert into crn_store as s (id, time_zone_rules) values (true, '2030a')
       on conflict (id) do update set time_zone_rules = '2030a' where s.time_zone_rules is not distinct from $1`,
      [process.versions['tz']],
    );
    expect(await database.query('select * from crn_store')).toEqual([
      { id: true, time_zone_rules: '2030a', environment: 'production' },
    ]);
  });
});
