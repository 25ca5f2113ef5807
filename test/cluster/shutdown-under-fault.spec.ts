import { every } from '../../lib/index.js';
import { Cluster, type NodeOptions } from './support/cluster.js';
import type { ClusterNode } from './support/cluster-node.js';
import type { DatabaseProxy } from './support/database-proxy.js';
import { DatabaseServer } from './support/database-server.js';

/** With which a shutdown would outlast the test, if it waited for a connection that does not come about. */
const PATIENT: NodeOptions = {
  store: { shutdownTimeout: '1s', abortGrace: 200 },
  dataSource: { connectTimeoutMS: 60 * 60 * 1_000 },
};

/** What the store alone waits for: the application's data source is not the first that needs the database. */
const STORE_FIRST: NodeOptions = { dataSource: { manualInitialization: true } };

async function isFailing(node: ClusterNode): Promise<boolean> {
  return (await node.ask('status')).faults.includes('heartbeat_failed');
}

describe('a shutdown', () => {
  let cluster: Cluster;
  let way: DatabaseProxy;

  beforeEach(async () => {
    cluster = await Cluster.create();
    way = await cluster.openProxy();
  });

  afterEach(() => cluster.close());

  /** A node by the way, of which a handler runs, and heeds no signal. */
  async function startBusy(): Promise<ClusterNode> {
    const node = await cluster.start('isolated', {
      ...PATIENT,
      jobs: { work: 'gated, deaf' },
      proxy: way,
    });
    await node.ask('create', { name: 'long', jobName: 'work', trigger: every('1h'), recover: true });
    await cluster.advanceClock(3_600_000);
    await cluster.untilStarted('long');
    return node;
  }

  it.each<[string, () => Promise<void> | void]>([
    ['answers nothing any more', () => way.blackHole()],
    ['refuses every connection', () => way.refuse()],
    ['cuts every connection', () => way.drop()],
  ])('ends while the database %s', async (_fault, harm) => {
    const node = await cluster.start('isolated', { ...PATIENT, proxy: way });
    await harm();
    await node.stop();
    expect(node.log).not.toContain('Unhandled');
  });

  it('ends though the database was silent for long', async () => {
    const node = await cluster.start('isolated', { ...PATIENT, proxy: way });
    way.blackHole();
    await cluster.until('heartbeats fail', () => isFailing(node));
    await node.stop();
  });

  it('ends with its handlers aborted, whose runs another node finds abandoned and fires again', async () => {
    const node = await startBusy();
    way.blackHole();
    await node.stop();
    expect(node.log).toContain('could not be journaled before shutdown');

    await cluster.start('healthy');
    await cluster.untilRuns('long', ['abandoned', 'succeeded']);
    await cluster.finish();
  });

  it('journals what it canceled where the database comes back in time', async () => {
    const node = await startBusy();
    await way.refuse();
    await cluster.until('heartbeats fail', () => isFailing(node));
    node.startStopping();
    await cluster.until('it drains', () => node.log.includes('Draining'));
    await way.accept();
    await node.exited;
    const [run] = await cluster.journal.runs('long');
    expect(run?.status).toBe('canceled');
    await cluster.start('healthy');
    await cluster.untilRuns('long', ['canceled', 'succeeded']);
    await cluster.finish();
  });

  it('ends while the journal is locked', async () => {
    const node = await cluster.start('isolated', PATIENT);
    await node.ask('create', { name: 'locked', jobName: 'work', trigger: every('1h') });
    await cluster.whileJournalIsLocked(async () => {
      await cluster.advanceClock(3_600_000);
      await cluster.until('a claim waits for the journal', async () => {
        const waiting = await cluster.database.query(
          `select from pg_stat_activity
           where datname = current_database() and application_name = $1 and wait_event_type = 'Lock'`,
          [node.name],
        );
        return waiting.length > 0;
      });
      await node.stop();
    });
    await cluster.start('healthy');
    await cluster.untilRuns('locked', ['succeeded']);
    await cluster.finish();
  });
});

describe('a database server', () => {
  let server: DatabaseServer;
  let cluster: Cluster;

  beforeEach(async () => {
    server = await DatabaseServer.start();
    cluster = await Cluster.createOn(server.url);
  });

  afterEach(async () => {
    server.thaw();
    await cluster.close();
    await server.remove();
  });

  it('that is frozen does not hold up a shutdown', async () => {
    const node = await cluster.start('node', PATIENT);
    await server.freeze();
    await cluster.until('heartbeats fail', () => isFailing(node));
    await node.stop();
  });

  it('that is down is waited for at start-up', async () => {
    // It migrates, so that the next one has nothing to do but to wait.
    const first = await cluster.start('first');
    await first.ask('create', { name: 'waiting', jobName: 'work', trigger: every('1h') });
    await first.stop();
    await server.crash();
    const late = cluster.launch('late', STORE_FIRST);
    await cluster.until('it waits', () => late.log.includes('The database cannot be reached'));
    await server.restart();
    await late.untilStarted();
    await cluster.advanceClock(3_600_000);
    await cluster.untilRuns('waiting', ['succeeded']);
    await cluster.finish();
  });

  it('that stays down fails the start-up when the time is over', async () => {
    await server.crash();
    const failing = cluster.launch('failing', { ...STORE_FIRST, store: { startupTimeout: '1s' } });
    await expect(failing.untilStarted()).rejects.toThrow('ECONNREFUSED');
    expect(failing.log).toContain('The database cannot be reached');
    await server.restart();
  });
});
