import { Client } from 'pg';
import { every, type ScheduleSpec } from '../../lib/index.js';
import { Cluster, type NodeOptions } from './support/cluster.js';
import type { ClusterNode } from './support/cluster-node.js';
import type { Behaviour, JobProgram } from './node/protocol.js';

const HOUR_MS = 3_600_000;

/** What a commit waits for that was told to. */
const COMMIT_LOCK = 77;

/** The job whose handlers write their rows and their success in one transaction. */
function books(behaviour: Behaviour): Record<string, JobProgram> {
  return { books: { behaviour, transactional: true } };
}

describe('transactional handlers', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
    await cluster.database.query('create table cluster_effect (run_id uuid not null, step text not null)');
  });

  afterEach(async () => {
    await cluster.close();
  });

  /** Creates the hourly schedule of the job, and lets its first occurrence come. */
  async function fire(node: ClusterNode, spec: Partial<ScheduleSpec> = {}): Promise<void> {
    await node.ask('create', {
      name: 'books',
      jobName: 'books',
      trigger: every('1h'),
      recover: true,
      ...spec,
    });
    await cluster.advanceClock(HOUR_MS);
  }

  /** Starts a node that takes over what others leave behind. */
  async function startSurvivor(): Promise<ClusterNode> {
    return cluster.start('survivor', { jobs: books('quick') });
  }

  /** Each occurrence succeeded once, with its rows; no other run has left any. */
  async function finish(): Promise<void> {
    await cluster.finish();
    const effects = await cluster.database.query(
      `select r.status, array_agg(e.step order by e.step desc) filter (where e.step is not null) as steps
       from crn_run r full join cluster_effect e on e.run_id = r.id
       where r.job_name is distinct from 'work'
       group by r.id, r.status`,
    );
    for (const { status, steps } of effects) {
      expect([status, steps]).toEqual([status, status === 'succeeded' ? ['before', 'after'] : null]);
    }
    const succeeded = (await cluster.journal.runs()).filter(({ status }) => status === 'succeeded');
    expect(new Set(succeeded.map((run) => run.idempotencyKey)).size).toBe(succeeded.length);
  }

  it.each<[string, NodeOptions]>([
    ['before their first statement', { jobs: books('quick'), diesAfterClaim: true }],
    ['among their rows', { jobs: books('kills') }],
    ['after their record, before the commit', { jobs: books('quick'), diesBeforeCommit: true }],
  ])('have their effects once where their process is killed %s', async (_when, options) => {
    const client = await cluster.start('client', { jobs: {}, store: {} });
    const victim = await cluster.start('victim', options);
    await fire(client);
    await cluster.until('the victim is dead', () => !victim.isAlive);
    await startSurvivor();
    await cluster.untilRuns('books', ['abandoned', 'succeeded']);
    await finish();
  });

  it('have succeeded, and are not recovered, where their process is killed while its commit goes through', async () => {
    await cluster.database.query(
      `create function wait_at_commit() returns trigger language plpgsql as $$
       begin perform pg_advisory_xact_lock(${COMMIT_LOCK}); return null; end $$`,
    );
    await cluster.database.query(
      `create constraint trigger wait_at_commit after insert on cluster_effect deferrable initially deferred
       for each row execute function wait_at_commit()`,
    );
    const victim = await cluster.start('victim', { jobs: books('quick') });
    const lock = new Client({ connectionString: cluster.database.url });
    await lock.connect();
    try {
      await lock.query('select pg_advisory_lock($1)', [COMMIT_LOCK]);
      await fire(victim, { concurrencyPolicy: 'forbid' });
      await cluster.until('the commit waits', async () => {
        const { rows } = await lock.query(
          `select from pg_locks where locktype = 'advisory' and objid = ${COMMIT_LOCK} and not granted`,
        );
        return rows.length > 0;
      });
      await victim.kill();
      const bystander = await cluster.start('bystander', { jobs: { work: 'quick', ...books('quick') } });
      // Others go on meanwhile, though they would take the run over and its lock is held.
      await cluster.untilWatchful(bystander);
      await cluster.advanceClock(HOUR_MS);
      await bystander.ask('create', { name: 'work', jobName: 'work', trigger: every('1h') });
      await bystander.ask('triggerNow', 'work');
      await cluster.untilRuns('work', ['succeeded']);
      await cluster.untilRuns('books', ['running', 'skipped']);
    } finally {
      await lock.end();
    }
    await cluster.untilRuns('books', ['succeeded', 'skipped']);
    await finish();
  });

  it('have their effects once where their process is frozen, taken over, and goes on', async () => {
    const frozen = await cluster.start('frozen', { jobs: books('gated, deaf') });
    await fire(frozen);
    await cluster.untilStarted('books');
    frozen.freeze();
    await startSurvivor();
    await cluster.untilRuns('books', ['abandoned', 'succeeded']);
    await cluster.openGate('books');
    frozen.thaw();
    await cluster.until('the frozen node has let go of it', async () => {
      const { running, detached } = await frozen.ask('status');
      return running + detached === 0;
    });
    await finish();
  });

  it('have their effects once where every connection of their node is cut', async () => {
    const node = await cluster.start('node', { jobs: books('gated, deaf') });
    await fire(node, { retry: { maxAttempts: 2, backoffMs: 0 } });
    await cluster.untilStarted('books');
    await cluster.terminateConnectionsOf(node);
    await cluster.openGate('books');
    await cluster.untilRuns('books', ['failed', 'succeeded']);
    await finish();
  });
});
