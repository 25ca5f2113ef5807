import { every } from '../../lib/index.js';
import { Cluster, type NodeOptions } from './support/cluster.js';

/** How often scenario 32 cuts every connection of the node: each time it must have claimed again before the next. */
const CUTS = 12;

describe('connections', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  it('scenario 15: the database is unreachable: the loop retries, no outcome is lost, firing resumes without a restart', async () => {
    const way = await cluster.openProxy();
    const node = await cluster.start('cut off', { jobs: { long: 'gated', work: 'quick' }, proxy: way });
    await node.ask('create', { name: 'long', jobName: 'long', trigger: every('1h') });
    await cluster.advanceClock(3_600_000);
    await node.ask('create', { name: 'short', jobName: 'work', trigger: every('1s') });
    await cluster.untilStarted('long');

    way.drop();
    await way.refuse();
    await cluster.openGate('long');
    await cluster.until('the handler has returned', async () => {
      const deeds = await cluster.journal.deeds('long');
      return deeds.some(({ deed }) => deed === 'returned');
    });
    await cluster.until('its outcome was tried', async () => {
      const { state, faults } = await node.ask('status');
      return state === 'degraded' && faults.includes('outcome_failed');
    });
    const before = (await cluster.journal.runs('short')).length;
    await way.accept();
    await cluster.untilRuns('long', ['succeeded']);
    await cluster.until(
      'firing has resumed',
      async () => (await cluster.journal.runs('short')).length >= before + 3,
    );
    await cluster.until('nothing fails any more', async () => {
      const { state } = await node.ask('status');
      return state === 'running';
    });
    await cluster.finish();
  });

  it('scenario 32: every connection of a node is terminated again and again: no duplicate, no loss', async () => {
    const node = await cluster.start('cut');
    for (let index = 0; index < 10; index += 1) {
      await node.ask('create', {
        name: `schedule ${index}`,
        jobName: 'work',
        trigger: every('1s'),
        concurrencyPolicy: 'allow',
        recover: true,
      });
    }
    let connectionsCut = 0;
    for (let cut = 1; cut <= CUTS; cut += 1) {
      const before = (await cluster.journal.runs()).length;
      connectionsCut += await cluster.terminateConnectionsOf(node);
      await cluster.until(
        `the node claims again after cut ${cut}`,
        async () => (await cluster.journal.runs()).length > before,
      );
    }
    expect(connectionsCut).toBeGreaterThanOrEqual(CUTS);
    expect(node.isAlive).toBe(true);
    await cluster.finish();

    const runs = await cluster.journal.runs();
    const doneKeys = new Set(
      runs.filter(({ status }) => status === 'succeeded').map(({ idempotencyKey }) => idempotencyKey),
    );
    expect(runs.filter(({ status }) => status === 'missed')).toEqual([]);
    expect(runs.filter(({ idempotencyKey }) => !doneKeys.has(idempotencyKey))).toEqual([]);
  });

  it('scenario 39: the socket that listens dies silently: polling serves, until that is noticed and another one listens', async () => {
    const way = await cluster.openProxy();
    const node = await cluster.start('node', { proxy: way });
    const other = await cluster.start('other', { jobs: { other: 'quick' } });
    const listening = async () => {
      const rows = await cluster.database.query<{ port: number }>(
        `select client_port as port from pg_stat_activity
         where datname = current_database() and application_name = $1 and query like 'listen %'`,
        [node.name],
      );
      return rows.map(({ port }) => port);
    };
    await cluster.until('it listens', async () => (await listening()).length === 1);
    const silenced = await listening();
    silenced.forEach((port) => way.silence(port));

    await other.ask('create', { name: 'polled', jobName: 'work', trigger: every('1h') });
    await other.ask('triggerNow', 'polled');
    await cluster.untilRuns('polled', ['succeeded']);
    expect(node.log).not.toContain('polling serves meanwhile');
    await cluster.until('another socket listens', async () =>
      (await listening()).some((port) => !silenced.includes(port)),
    );
    expect(node.log).toContain('The connection for wake-ups was lost, polling serves meanwhile');
    await cluster.finish();
  });

  it('scenario 41: the database is away for longer than `abandonedAfter`: no live run is declared abandoned, none runs twice', async () => {
    const abandonedAfter = 8_000;
    const options: NodeOptions = {
      jobs: { work: 'gated' },
      store: { heartbeatInterval: 500, abandonedAfter },
    };
    const [wayOfWorking, wayOfWatching] = [await cluster.openProxy(), await cluster.openProxy()];
    const working = await cluster.start('working', { ...options, proxy: wayOfWorking });
    await working.ask('create', { name: 'long', jobName: 'work', trigger: every('1h'), recover: true });
    await cluster.advanceClock(3_600_000);
    await cluster.untilStarted('long');
    const watching = await cluster.start('watching', { ...options, proxy: wayOfWatching });
    await cluster.untilWatchful(watching, abandonedAfter);

    await Promise.all([wayOfWorking.refuse(), wayOfWatching.refuse()]);
    await cluster.advanceClock(10 * abandonedAfter);
    await cluster.until('both have noticed', () =>
      [working, watching].every(({ log }) => log.includes('The heartbeat failed')),
    );
    // The one that would judge is back first, and has time for more than one look at runs that are silent for long.
    const backAtUnixMs = await cluster.now();
    await wayOfWatching.accept();
    await cluster.until('the watching node is back for a while', async () => {
      const [row] = await cluster.database.query<{ beat: number }>(
        'select heartbeat_at_unix_ms::float as beat from crn_node where id = $1',
        [watching.id],
      );
      return (row?.beat ?? 0) > backAtUnixMs + (3 / 8) * abandonedAfter;
    });
    await wayOfWorking.accept();
    await cluster.openGate('long');
    await cluster.untilRuns('long', ['succeeded']);
    await cluster.finish();

    const deeds = await cluster.journal.deeds();
    expect(deeds.map(({ node, deed }) => `${node} ${deed}`)).toEqual(['working started', 'working returned']);
  });

  it('scenario 42: a connection is black-holed in the middle of a claim: its locks are gone in time, another node fires', async () => {
    const way = await cluster.openProxy();
    const isolated = await cluster.start('isolated', { proxy: way });
    await isolated.ask('create', { name: 'locked', jobName: 'work', trigger: every('1h') });
    const claims = async (state: string) =>
      cluster.database.query<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and application_name = $1 and ${state}
           and query like '%update%crn_schedule%insert into%crn_run%'`,
        [isolated.name],
      );
    await cluster.whileJournalIsLocked(async () => {
      await cluster.advanceClock(3_600_000);
      // It has locked the schedule by then.
      await cluster.until(
        'the claim waits for the journal',
        async () => (await claims(`wait_event_type = 'Lock'`)).length > 0,
      );
      way.blackHole();
    });
    // What the claim has locked stays locked: nobody tells it to commit.
    await cluster.until(
      'the claim is in the middle of its transaction',
      async () => (await claims(`state = 'idle in transaction'`)).length > 0,
    );
    await cluster.start('healthy');
    await cluster.untilRuns('locked', ['succeeded']);
    const [run] = await cluster.journal.runs('locked');
    expect(run?.nodeId).not.toBe(isolated.id);
    way.passOn();
    await cluster.finish();
  });
});
