import { jest } from '@jest/globals';
import { every, type Schedule } from '../../../lib/index.js';
import { ExpiredPauses } from '../../../lib/manager/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { MovedClock } from '../../support/moved-clock.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from '../engine/support/jobs.js';

const START = Date.parse('2030-01-01T00:00:00Z');

describe('a pause that has expired', () => {
  let database: TestDatabase;
  let clock: MovedClock;
  let first: StoreApp;
  let apps: readonly StoreApp[];

  beforeAll(async () => {
    database = await createTestDatabase();
    clock = await MovedClock.on(database);
    await clock.freezeAt(START);
    first = await startApp();
    apps = [first, await startApp(), await startApp()];
  });

  /** One that ends pauses only when it is asked to. */
  async function startApp(): Promise<StoreApp> {
    const providers = [job('work', () => undefined)];
    return startStoreApp({ url: database.url, clock, store: { execute: false }, providers });
  }

  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()));
    await database.drop();
  });

  it('is ended and recorded once, by the first of those who have seen it', async () => {
    const paused = await pausedSchedule();
    await clock.moveBy(1_000);
    apps.forEach(({ app }) => seeing(app.get<Storage>(CRON_STORE_STORAGE), paused.name));

    for (const { app } of apps) {
      await app.get(ExpiredPauses).endSome();
    }
    expect(await recordsOfResumes()).toEqual([
      {
        actor_id: 'system',
        outcome: 'success',
        version_before: paused.version,
        version_after: paused.version + 1,
      },
    ]);
  });

  async function pausedSchedule(): Promise<Schedule> {
    await first.manager.create({ name: 'paused', jobName: 'work', trigger: every('1h') });
    return first.manager.pause('paused', { until: START + 1_000 });
  }

  async function recordsOfResumes(): Promise<unknown[]> {
    return database.query(
      `select actor_id, outcome, (before->>'version')::int as version_before, (after->>'version')::int as version_after
       from crn_audit where action = 'resume'`,
    );
  }
});

/** Lets a process go by a look at the table that was taken before any of the others did something. */
function seeing(storage: Storage, name: string): void {
  jest.spyOn(storage.expiredPauses, 'names').mockResolvedValue([name]);
}
