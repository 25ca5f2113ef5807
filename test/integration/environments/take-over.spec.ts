import type { Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { every } from '../../../lib/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import {
  createTestDatabase,
  restoreTestDatabase,
  type TestDatabase,
  untilTrue,
} from '../../support/database.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER } from '../engine/support/runs.js';
import { rejectionOf } from '../manager/support/still-store.js';
import {
  audited,
  type EnvironmentApp,
  EnvironmentApps,
  storedEnvironment,
} from './support/environment-apps.js';

const NOTHING = { started: 0, journaled: 0 };
const FOREIGN = { code: 2708, stored: 'staging', own: 'production' };

/** A handler that succeeds. */
function work(): Provider {
  return job('work', () => undefined);
}

/** What became of the fires of a schedule. */
async function statuses(app: EnvironmentApp, scheduleName: string): Promise<readonly string[]> {
  return (await app.manager.listRuns({ scheduleName })).map(({ origin, status }) => `${origin} ${status}`);
}

describe('taking a store over', () => {
  const apps = new EnvironmentApps();
  const databases: TestDatabase[] = [];
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
    databases.push(database);
  });

  afterEach(async () => {
    await apps.closeAll();
    await Promise.all(databases.splice(0).map((one) => one.drop()));
  });

  /** A copy of production's database in which a fire is due, and a run that shall be recovered was under way. */
  async function restore(): Promise<TestDatabase> {
    const production = await apps.start(database, { environment: 'production' }, [work()]);
    await production.manager.create({ name: 'due', jobName: 'work', trigger: every('1h') });
    await production.manager.create({ name: 'interrupted', jobName: 'work', trigger: NEVER, recover: true });
    await production.manager.triggerNow('interrupted');
    await untilTrue(
      'it has run',
      async () => (await production.manager.listRuns({ statuses: ['succeeded'] })).length > 0,
    );
    await apps.closeAll();
    await database.query(
      `update crn_schedule set next_fire_at_unix_ms = next_fire_at_unix_ms - 7200000 where name = 'due'`,
    );
    await database.query(
      `update crn_run set status = 'running', finished_at_unix_ms = null, node_id = 'of production'`,
    );
    const copy = await restoreTestDatabase(database);
    databases.push(copy);
    return copy;
  }

  it('of a restored copy holds everything: what was due and what was interrupted waits for an operator', async () => {
    const copy = await restore();
    const refused = await apps.compile(copy, { environment: 'staging' }, [work()]);
    expect(await rejectionOf(refused.module.init())).toMatchObject({ code: 2708 });

    // Short, so that the run of production is abandoned soon, and longer than what the test fires may take.
    const timing = { heartbeatInterval: 500, abandonedAfter: '3s' };
    const staging = await apps.compile(copy, { environment: 'staging', ...timing }, [work()]);
    expect(await staging.manager.takeOver({ actor: 'ann' })).toEqual({
      isTakenOver: true,
      environment: 'staging',
      formerEnvironment: 'production',
      isHeld: true,
    });
    await staging.module.init();

    expect(await staging.manager.listHolds()).toMatchObject([
      { note: 'Taken over from "production".', heldBy: 'ann' },
    ]);
    await untilTrue('the run of production is abandoned', async () =>
      (await statuses(staging, 'interrupted')).includes('manual abandoned'),
    );
    expect(await staging.engine.runOnce()).toEqual(NOTHING);
    expect([await statuses(staging, 'due'), await statuses(staging, 'interrupted')]).toEqual([
      [],
      ['manual abandoned'],
    ]);
    expect(await audited(copy, 'take_over')).toEqual([
      {
        actor_id: 'ann',
        outcome: 'success',
        code: 0,
        before: { environment: 'production' },
        after: { environment: 'staging', isHeld: true },
      },
    ]);

    await staging.manager.release({});
    await untilTrue('both have fired', async () => {
      const [due, interrupted] = [await statuses(staging, 'due'), await statuses(staging, 'interrupted')];
      return due.includes('schedule succeeded') && interrupted.includes('recovery succeeded');
    });
    // The original knows nothing of it.
    expect(await storedEnvironment(database)).toBe('production');
  });

  it('without a hold lets what is due fire at once, and ends a hold of everything', async () => {
    const copy = await restore();
    await copy.query(
      `insert into crn_hold (job_name, held_at_unix_ms, held_by) values ('', 0, 'ann'), ('other', 0, 'ann')`,
    );
    const staging = await apps.compile(copy, { environment: 'staging' }, [work()]);
    expect(await staging.manager.takeOver({ hold: false })).toMatchObject({
      isTakenOver: true,
      isHeld: false,
    });
    await staging.module.init();

    await untilTrue('it has fired', async () =>
      (await statuses(staging, 'due')).includes('schedule succeeded'),
    );
    expect(await staging.manager.listHolds()).toMatchObject([{ jobName: 'other' }]);
  });

  it('of a store that is its own already changes nothing', async () => {
    const production = await apps.start(database, { environment: 'production' });
    expect(await production.manager.takeOver()).toEqual({
      isTakenOver: false,
      environment: 'production',
      formerEnvironment: 'production',
      isHeld: false,
    });
    expect(await production.manager.listHolds()).toEqual([]);
  });

  it('for nobody lets everybody in, until a node declares an environment again', async () => {
    await apps.start(database, { environment: 'production' });
    const undeclared = await apps.compile(database, {}, [work()]);
    expect(await undeclared.manager.takeOver({ hold: false })).toMatchObject({ isTakenOver: true });
    await undeclared.module.init();
    expect(await storedEnvironment(database)).toBeNull();

    await apps.start(database, { environment: 'staging' });
    expect(await storedEnvironment(database)).toBe('staging');
  });

  it.each([
    ['an option that is none', { held: true }, /held/],
    ['a hold that is no switch', { hold: 'yes' }, /hold must be true or false/],
  ])('refuses %s', async (_, given, message) => {
    const app = await apps.compile(database, { environment: 'staging', execute: false });
    await app.module.init();
    expect(await rejectionOf(app.manager.takeOver(given as object))).toMatchObject({
      code: 2706,
      message: expect.stringMatching(message),
    });
  });

  it('says which tables are missing where there are none', async () => {
    const app = await apps.compile(database, { environment: 'staging' });
    expect(await rejectionOf(app.manager.takeOver())).toMatchObject({
      name: 'StoreSchemaError',
      message: expect.stringMatching(/the table crn_store is missing/),
    });
  });

  describe('while nodes of the former environment run', () => {
    let gated: GatedJob;
    let production: EnvironmentApp;
    let staging: EnvironmentApp;

    beforeEach(async () => {
      gated = new GatedJob('slow');
      production = await apps.start(database, { environment: 'production' }, [work(), gated.provider]);
      await production.manager.create({ name: 'slow', jobName: 'slow', trigger: NEVER });
      await production.manager.create({ name: 'quick', jobName: 'work', trigger: NEVER });
      staging = await apps.compile(database, { environment: 'staging' }, [work()]);
    });

    afterEach(() => gated.gate.open());

    async function untilMismatch(): Promise<void> {
      await untilTrue('the node has noticed', () =>
        production.engine.status().faults.includes('environment_mismatch'),
      );
    }

    it('they claim nothing more, say so once in the log, in their status and in their health', async () => {
      await staging.manager.takeOver();
      await untilMismatch();
      await database.query(
        `update crn_schedule set next_fire_at_unix_ms = extract(epoch from clock_timestamp()) * 1000 where name = 'quick'`,
      );
      await database.query('delete from crn_hold');

      for (let pass = 0; pass < 3; pass += 1) {
        expect(await rejectionOf(production.engine.runOnce())).toMatchObject(FOREIGN);
      }
      expect(await database.query('select from crn_run')).toEqual([]);
      expect(apps.said('error')).toEqual([
        'Nothing is claimed here any more: The schedules in this database belong to the environment "staging", and this application is "production": connect to another database, or take them over with `npx cron-store take-over --environment production`.',
      ]);
      expect(production.engine.status()).toMatchObject({
        state: 'degraded',
        faults: ['environment_mismatch'],
      });
      expect(await production.health.check({ timeout: '30s', maxPassAge: '1h', maxLag: '1h' })).toMatchObject(
        {
          status: 'degraded',
          reasons: ['environment_mismatch'],
        },
      );
    });

    it('who only manages is degraded as well', async () => {
      const desk = await apps.start(database, { environment: 'production', execute: false });
      await staging.manager.takeOver();
      expect(await desk.health.check({ timeout: '30s' })).toMatchObject({
        status: 'degraded',
        reasons: ['environment_mismatch'],
      });
    });

    it('they finish what they execute', async () => {
      await production.manager.triggerNow('slow');
      await untilTrue('it is under way', () => gated.executions.length > 0);
      await staging.manager.takeOver();
      await untilMismatch();
      gated.gate.open();

      await untilTrue('it is journaled', async () => {
        const [run] = await production.manager.listRuns({ scheduleName: 'slow' });
        return run?.status === 'succeeded';
      });
    });

    it('they abandon no runs', async () => {
      await staging.manager.takeOver();
      await untilMismatch();
      const storage = production.module.get<Storage>(CRON_STORE_STORAGE);
      await production.engine.drain();
      await database.query(
        `insert into crn_run (id, schedule_id, schedule_name, job_name, origin, scheduled_at_unix_ms, claimed_at_unix_ms,
           status, node_id, heartbeat_at_unix_ms, missed_count, attempt, recoveries, idempotency_key, created_at_unix_ms, created_by)
         values (gen_random_uuid(), gen_random_uuid(), 'x', 'work', 'manual', 0, 0, 'running', 'of staging', 0, 0, 1, 0, 'x', 0, 'x')`,
      );
      expect(
        await storage.staleRuns.sweep({ abandonedAfterMs: 0, maxRecoveries: 5, mayTakeOver: () => true }),
      ).toEqual([]);
      expect(await database.query('select status from crn_run')).toEqual([{ status: 'running' }]);
    });

    it('their managers change nothing, also within a transaction, which stays usable; they may read', async () => {
      await staging.manager.takeOver();

      expect(await rejectionOf(production.manager.pause('quick'))).toMatchObject(FOREIGN);
      const source = production.module.get(DataSource);
      await source.transaction(async (transaction) => {
        expect(await rejectionOf(production.manager.pause('quick', { transaction }))).toMatchObject(FOREIGN);
        expect(await transaction.query('select 1 as one')).toEqual([{ one: 1 }]);
      });
      expect((await production.manager.get('quick')).schedule.state).toBe('armed');
      expect(await audited(database, 'pause')).toMatchObject([
        { outcome: 'failed', code: 2708 },
        { outcome: 'failed', code: 2708 },
      ]);
    });

    it('a change in a transaction whose snapshot is older fails', async () => {
      const source = production.module.get(DataSource);
      const change = source.transaction('REPEATABLE READ', async (transaction) => {
        await transaction.query('select from crn_schedule');
        await staging.manager.takeOver();
        await production.manager.pause('quick', { transaction });
      });
      await expect(change).rejects.toMatchObject({ code: '40001' });
    });

    it('it waits for a claim or a change that is under way', async () => {
      const storage = production.module.get<Storage>(CRON_STORE_STORAGE);
      const steps: string[] = [];
      let takingOver: Promise<unknown> = Promise.resolve();
      await storage.environment.transaction('engine', async ({ executor }) => {
        takingOver = staging.manager.takeOver().then(() => steps.push('taken over'));
        await untilTrue('it waits', async () => {
          const waiting = await database.query(
            `select from pg_locks where not granted and relation = 'crn_store'::regclass`,
          );
          return waiting.length > 0;
        });
        await executor.query(`update crn_schedule set job_name = job_name`);
        steps.push('claimed');
      });
      await takingOver;
      expect(steps).toEqual(['claimed', 'taken over']);
    });

    it('they go on once they have taken it back', async () => {
      await staging.manager.takeOver();
      await untilMismatch();
      expect(await production.manager.takeOver({ hold: false })).toMatchObject({ isTakenOver: true });

      await production.manager.triggerNow('quick');
      await untilTrue('it has run', async () => {
        const [run] = await production.manager.listRuns({ scheduleName: 'quick' });
        return run?.status === 'succeeded';
      });
      expect(apps.said('log')).toContain('Claiming works again.');
      expect(production.engine.status().faults).toEqual([]);
    });
  });
});
