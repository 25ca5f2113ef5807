import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { SampleProcess } from './sample-process.js';

const PATIENTLY = { timeoutMs: 90_000 };

interface ProgressRow {
  readonly occurrence: string;
  readonly pages_done: number;
}

describe('the operations sample', () => {
  let database: TestDatabase;
  let sample: SampleProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    sample = start();
    await sample.operatorUrl();
  }, 120_000);

  afterAll(async () => {
    await sample.crash();
    await database.drop();
  });

  function start(environment: Readonly<Record<string, string>> = {}): SampleProcess {
    return new SampleProcess('01-operations/start.mjs', { DATABASE_URL: database.url, ...environment });
  }

  async function fire(scheduleName: string): Promise<void> {
    const response = await fetch(`${await sample.operatorUrl()}/${scheduleName}/fire`, {
      method: 'POST',
      headers: { 'x-operator': 'ann' },
    });
    expect(response.status).toBe(202);
  }

  async function countRuns(condition: string, values: readonly unknown[] = []): Promise<number> {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from cron.crn_run where ${condition}`,
      values,
    );
    return row?.count ?? 0;
  }

  /** How many sessions there are of processes that may be gone, in the midst of a statement or a transaction. */
  async function sessionsAtWork(): Promise<number> {
    const sessions = await database.query(
      `select from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
         and state <> 'idle'`,
    );
    return sessions.length;
  }

  async function unfinishedReconciliation(): Promise<ProgressRow | undefined> {
    const [progress] = await database.query<ProgressRow>(
      'select occurrence, pages_done from operations.partner_reconciliation where finished_at is null',
    );
    return progress;
  }

  it('shows which schedules were seeded, the nightly digest as configured among them', async () => {
    const seeds = [...sample.output.matchAll(/Seeded the schedule "([^"]+)"/g)].map(([, name]) => name);
    expect(seeds).toEqual([
      'database-vitals',
      'journal-digest',
      'partner-reconciliation',
      'partner-sync',
      'purge-expired-sessions',
      'sign-ins',
    ]);
    expect(
      await database.query(`select expr, timezone from cron.crn_schedule where name = 'journal-digest'`),
    ).toEqual([{ expr: '0 2 * * *', timezone: 'Asia/Shanghai' }]);
  });

  it('says first where the console is and how to sign in, and lets a viewer only look', async () => {
    const [, page = '', operator = '', viewer = ''] =
      /^\s*Console {3}(\S+)\s+Sign in {3}with the token (\S+), or with (\S+) to look only$/m.exec(
        sample.output,
      ) ?? [];
    expect(sample.output.indexOf(page)).toBeLessThan(sample.output.indexOf('The journal'));
    expect((await fetch(page)).headers.get('content-security-policy')).toContain("default-src 'none'");
    const call = async (action: string, token: string) => {
      const response = await fetch(new URL(`/api/sys/cron/schedule/${action}`, page), {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        body: JSON.stringify({ params: { name: 'journal-digest' } }),
      });
      return response.status;
    };
    expect(await call('get', viewer)).toBe(200);
    expect(await call('pause', viewer)).toBe(403);
    expect(await call('pause', operator)).toBe(200);
    expect(await call('resume', operator)).toBe(200);
    expect(await call('get', 'operator')).toBe(401);
  });

  it('reports a partner sync that failed, which the operator then retries', async () => {
    const synced = `job_name = 'partner-sync' and created_by = 'ann' and status`;
    // The partner turns every third request away, which may be one of the schedule's own.
    let attempts = 0;
    await untilTrue('one has failed and one has succeeded', async () => {
      attempts += 1;
      await fire('partner-sync');
      await untilTrue(
        'the run is over',
        async () => (await countRuns(`${synced} <> 'running'`)) === attempts,
      );
      return (
        (await countRuns(`${synced} = 'failed'`)) > 0 && (await countRuns(`${synced} = 'succeeded'`)) > 0
      );
    });
    await untilTrue('the failure is reported', () =>
      /ERROR \[Incidents\] partner-sync .* failed: The partner answered 503/.test(sample.output),
    );
    expect(await database.query('select id from operations.partner_customer limit 1')).toHaveLength(1);
  });

  it('writes the digest, the vitals and the sessions that its handlers are there for', async () => {
    await Promise.all(['journal-digest', 'database-vitals', 'sign-ins'].map(fire));
    await untilTrue('all have rows', async () => {
      const [row] = await database.query<{ complete: boolean }>(`
        select exists (select from operations.journal_digest where runs_by_status -> 'failed' is not null)
          and exists (select from operations.database_vitals where connections > 0)
          and exists (select from operations.session) as complete`);
      return row?.complete === true;
    });
  });

  it('goes on after a crash of all processes where the killed run had come to', async () => {
    const reconciliation = `job_name = 'partner-reconciliation'`;
    await untilTrue(
      'none is running',
      async () => (await countRuns(`${reconciliation} and status = 'running'`)) === 0,
      PATIENTLY,
    );
    await fire('partner-reconciliation');
    await untilTrue(
      'some pages are done',
      async () => ((await unfinishedReconciliation())?.pages_done ?? 0) >= 5,
    );
    await sample.crash();
    await untilTrue('the server has done what it was asked last', async () => (await sessionsAtWork()) === 0);
    const killed = await unfinishedReconciliation();
    const left = await countRuns(`status = 'running'`);

    sample = start({ NODES: '2' });
    await untilTrue(
      'the run was recovered',
      async () =>
        (await countRuns(`idempotency_key = $1 and origin = 'recovery' and status = 'succeeded'`, [
          killed?.occurrence,
        ])) === 1,
      PATIENTLY,
    );
    expect(sample.output).toMatch(new RegExp(`The journal has \\d+ runs since .*[:,] ${left} running`));
    expect(sample.output).toMatch(
      /node \d \| .*partner-reconciliation .* was abandoned: .* It is fired again\./,
    );
    expect(sample.output).toContain(`attempt 2, begins after page ${killed?.pages_done}.`);
  }, 180_000);

  it('stops all its nodes in order when it is asked to', async () => {
    expect(await sample.stop()).toBe(0);
    expect(sample.output.match(/Stopped\./g)).toHaveLength(2);
    expect(await countRuns(`status = 'running'`)).toBe(0);
  });

  it('proves by its journal that nothing was lost or doubled', async () => {
    const check = new SampleProcess('01-operations/check.mjs', { DATABASE_URL: database.url });
    expect(await check.ended()).toBe(0);
    expect(check.output).toMatch(/Nothing lost, nothing doubled: \d+ occurrences claimed once each/);
  }, 120_000);

  it('would notice an occurrence that was lost, and one that was doubled', async () => {
    await database.query(`
      delete from cron.crn_run where id = (
        select id from cron.crn_run where job_name = 'database-vitals' and origin = 'schedule' order by scheduled_at_unix_ms offset 1 limit 1)`);
    await database.query(`update cron.crn_run set status = 'succeeded' where status = 'abandoned'`);
    const check = new SampleProcess('01-operations/check.mjs', { DATABASE_URL: database.url });
    expect(await check.ended()).toBe(1);
    expect(check.output).toMatch(/database-vitals: \d+ occurrence\(s\) after \S+ are not in the journal\./);
    expect(check.output).toMatch(/partner-reconciliation: \S+ succeeded twice\./);
  }, 120_000);

  it('says in a sentence that the database cannot be reached', async () => {
    const unreachable = start({ DATABASE_URL: 'postgres://operations@127.0.0.1:1/operations' });
    expect(await unreachable.ended()).toBe(1);
    expect(unreachable.output).toBe(
      'Cannot start: the database cannot be used. Nothing listens at 127.0.0.1:1. Check DATABASE_URL.\n',
    );
  }, 120_000);
});
