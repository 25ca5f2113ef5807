import { jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { NOTHING_CLAIMED } from '../../../lib/storage/claims/claim-result.js';
import { ClaimStore } from '../../../lib/storage/claims/claim.store.js';
import { CRON_STORE_STORAGE, type Storage } from '../../../lib/storage/index.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob } from './support/jobs.js';
import { NEVER, untilOver } from './support/runs.js';

describe('a commit that takes long', () => {
  let database: TestDatabase;
  let way: DatabaseProxy;
  let work: GatedJob;
  let node: StoreApp;

  beforeAll(async () => {
    Logger.overrideLogger(['error']);
    database = await createTestDatabase();
    way = await DatabaseProxy.open(database.url);
    work = new GatedJob('work');
    work.gate.open();
    node = await startStoreApp({ url: way.url, providers: [work.provider] });
  });

  afterAll(async () => {
    await node.close();
    await way.close();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  /** Has every claim wait in its commit, as for a slow disk or a standby. @returns what lets them go on. */
  async function holdCommits(): Promise<() => Promise<unknown>> {
    await database.query('create table held_commits ()');
    await database.query('insert into held_commits default values');
    await database.query(`
      create function hold() returns trigger language plpgsql as $$
      begin
        while exists (select from held_commits) loop
          perform pg_sleep(0.01);
        end loop;
        return null;
      end $$`);
    await database.query(`
      create constraint trigger hold after insert on crn_run deferrable initially deferred
      for each row execute function hold()`);
    return () => database.query('delete from held_commits');
  }

  it('and is cut off from its node is waited for: what it claims is started once it has landed', async () => {
    await node.manager.create({ name: 'held', jobName: 'work', trigger: NEVER });
    const letGo = await holdCommits();
    const confirm = jest.spyOn(ClaimStore.prototype, 'confirm');
    await node.manager.triggerNow('held');
    await untilTrue('the claim commits', async () => {
      const committing = await database.query(
        `select from pg_stat_activity
         where datname = current_database() and query = 'commit' and wait_event = 'PgSleep'`,
      );
      return committing.length > 0;
    });
    way.drop();
    await untilTrue('what became of it was asked for', () => confirm.mock.results.length > 0);
    await Promise.allSettled(confirm.mock.results.map(({ value }) => value as Promise<unknown>));
    await letGo();
    expect(await untilOver(node, 'held')).toMatchObject([{ status: 'succeeded', attempt: 1 }]);
    expect(work.executions).toHaveLength(1);
    confirm.mockRestore();
  });

  it('and whose number the server has not come to, after a failover that lost it, is taken for lost', async () => {
    const { claims } = node.app.get<Storage>(CRON_STORE_STORAGE);
    const lost = { ...NOTHING_CLAIMED, transactionId: '9000000000000000000' };
    expect(await claims.confirm(lost)).toEqual(NOTHING_CLAIMED);
  });
});
