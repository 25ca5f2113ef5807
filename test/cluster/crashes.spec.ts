import { every, type ScheduleSpec } from '../../lib/index.js';
import { CAN_LISTEN } from '../support/database.js';
import { ABANDONED_AFTER_MS, Cluster, type NodeOptions } from './support/cluster.js';
import type { ClusterNode } from './support/cluster-node.js';

const HOUR_MS = 3_600_000;

describe('crashes', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  /** Creates hourly schedules of a node's jobs, and lets their first occurrence come. */
  async function fire(node: ClusterNode, specs: readonly Omit<ScheduleSpec, 'trigger'>[]): Promise<void> {
    for (const spec of specs) {
      await node.ask('create', { ...spec, trigger: every('1h') });
    }
    await cluster.advanceClock(HOUR_MS);
  }

  it('scenario 27: kill -9 mid-run: abandoned within one and a half times `abandonedAfter`, fired again iff `recover`', async () => {
    // Longer than elsewhere, so that the half that is left for noticing is long for busy processors too.
    const abandonedAfter = 10_000;
    const options: NodeOptions = {
      jobs: { work: 'gated' },
      store: { heartbeatInterval: 2_000, abandonedAfter },
    };
    const victim = await cluster.start('victim', options);
    await fire(victim, [
      { name: 'recovering', jobName: 'work', recover: true },
      { name: 'plain', jobName: 'work' },
    ]);
    await cluster.untilStarted('recovering');
    await cluster.untilStarted('plain');
    await cluster.untilWatchful(await cluster.start('survivor', options), abandonedAfter);

    await victim.kill();
    await cluster.untilStarted('recovering', 2);
    await cluster.openGate('recovering');
    await cluster.untilRuns('recovering', ['abandoned', 'succeeded']);
    await cluster.untilRuns('plain', ['abandoned']);
    await cluster.finish();

    const [first, second] = await cluster.journal.runs('recovering');
    expect(second).toMatchObject({
      origin: 'recovery',
      attempt: 2,
      scheduledAtUnixMs: first?.scheduledAtUnixMs,
      idempotencyKey: first?.idempotencyKey,
    });
    const [plain] = await cluster.journal.runs('plain');
    for (const run of [first, plain]) {
      const silentMs = (run?.finishedAtUnixMs ?? Infinity) - (run?.heartbeatAtUnixMs ?? 0);
      expect(silentMs).toBeGreaterThanOrEqual(abandonedAfter);
      expect(silentMs).toBeLessThanOrEqual(1.5 * abandonedAfter);
    }
  });

  it.each(CAN_LISTEN ? [true, false] : [false])(
    'scenario 27: kill -9 of one of three nodes: fires of the others are never later than one poll (listen: %s)',
    async (listen) => {
      // A poll is far shorter than the time after which the dead node is noticed, so that nothing waits for that.
      const [pollIntervalMs, abandonedAfterMs] = [3_000, 20_000];
      const [victim, survivor] = await cluster.startAll(['victim', 'survivor', 'other'], {
        store: {
          listen,
          pollInterval: pollIntervalMs,
          heartbeatInterval: 1_000,
          abandonedAfter: abandonedAfterMs,
        },
      });
      for (let index = 0; index < 20; index += 1) {
        await survivor.ask('create', { name: `schedule ${index}`, jobName: 'work', trigger: every('1s') });
      }
      await cluster.untilStarted('schedule 19', 2);
      await victim.kill();
      const killedAtUnixMs = await cluster.now();
      await cluster.until('the others have gone on for longer than a poll', async () => {
        const runs = await cluster.journal.runs('schedule 19');
        return (runs.at(-1)?.scheduledAtUnixMs ?? 0) > killedAtUnixMs + 2 * pollIntervalMs;
      });
      await cluster.finish();

      const fires = (await cluster.journal.runs()).filter(({ origin }) => origin === 'schedule');
      const late = fires.filter((run) => run.claimedAtUnixMs - run.scheduledAtUnixMs > pollIntervalMs);
      expect(late).toEqual([]);
      expect(fires.filter((run) => run.scheduledAtUnixMs > killedAtUnixMs).length).toBeGreaterThan(20);
    },
  );

  it('scenario 28: frozen for twice `abandonedAfter`: the late finish changes nothing and tells nobody, the signal aborts', async () => {
    // One would finish before its next heartbeat tells it that it was given up, the other learns of it first.
    const unaware = await cluster.start('unaware', {
      jobs: { late: 'gated, deaf' },
      store: { heartbeatInterval: '1h', abandonedAfter: '2h' },
    });
    const waiting = await cluster.start('waiting', { jobs: { waiting: 'gated' } });
    await unaware.ask('create', { name: 'late', jobName: 'late', trigger: every('1h'), recover: true });
    await waiting.ask('create', { name: 'waiting', jobName: 'waiting', trigger: every('1h') });
    await cluster.advanceClock(HOUR_MS);
    await cluster.untilStarted('late');
    await cluster.untilStarted('waiting');
    unaware.freeze();
    waiting.freeze();
    const frozenAtUnixMs = await cluster.now();
    await cluster.start('healthy', { jobs: { late: 'gated, deaf', waiting: 'gated' } });
    await cluster.untilStarted('late', 2);
    await cluster.untilRuns('waiting', ['abandoned']);
    await cluster.until(
      'twice `abandonedAfter` has passed',
      async () => (await cluster.now()) > frozenAtUnixMs + 2 * ABANDONED_AFTER_MS,
    );

    await cluster.openGate('late');
    unaware.thaw();
    waiting.thaw();
    await cluster.until('the frozen handlers have gone on', async () => {
      const deeds = await cluster.journal.deeds();
      const hasDone = (node: ClusterNode, deed: string) =>
        deeds.some((record) => record.nodeId === node.id && record.deed === deed);
      return hasDone(unaware, 'returned') && hasDone(waiting, 'aborted') && hasDone(waiting, 'threw');
    });
    await cluster.untilRuns('late', ['abandoned', 'succeeded']);
    await cluster.finish();

    const runs = await cluster.journal.runs('waiting');
    expect(runs.map(({ status }) => status)).toEqual(['abandoned']);
    const events = await cluster.journal.events();
    expect(events.filter(({ node }) => node !== 'healthy')).toEqual([]);
  });

  it('scenario 29: SIGTERM with a long handler: heartbeats until the drain ends, then canceled, fired again iff `recover`', async () => {
    const options: NodeOptions = {
      jobs: { work: 'gated' },
      store: { shutdownTimeout: 3 * ABANDONED_AFTER_MS },
    };
    const leaving = await cluster.start('leaving', options);
    await fire(leaving, [
      { name: 'recovering', jobName: 'work', recover: true },
      { name: 'plain', jobName: 'work' },
      { name: 'finishing', jobName: 'work' },
    ]);
    await Promise.all(['recovering', 'plain', 'finishing'].map((name) => cluster.untilStarted(name)));
    await cluster.untilWatchful(await cluster.start('staying', options));

    const stoppedAtUnixMs = await cluster.now();
    leaving.startStopping();
    await cluster.until('it drains', async () => (await leaving.ask('status')).state === 'stopping');
    await cluster.openGate('finishing');
    await leaving.exited;
    await cluster.untilStarted('recovering', 2);
    await cluster.openGate('recovering');
    await cluster.untilRuns('recovering', ['canceled', 'succeeded']);
    await cluster.finish();

    const [canceled, repeated] = await cluster.journal.runs('recovering');
    expect(canceled?.nodeId).toBe(leaving.id);
    // Long enough for the other node to take it for dead, had it been silent.
    expect(canceled?.finishedAtUnixMs).toBeGreaterThan(stoppedAtUnixMs + 2 * ABANDONED_AFTER_MS);
    expect(repeated).toMatchObject({ origin: 'recovery', idempotencyKey: canceled?.idempotencyKey });
    await cluster.untilRuns('plain', ['canceled']);
    await cluster.untilRuns('finishing', ['succeeded']);
  });

  it('scenario 30: a handler that never settles: failed after its timeout, the next occurrence fires, its slot stays occupied', async () => {
    const node = await cluster.start('leaking', { jobs: { stuck: 'stuck' }, store: { maxConcurrent: 3 } });
    await node.ask('create', { name: 'stuck', jobName: 'stuck', trigger: every('1s'), timeout: '1s' });
    await cluster.until('every slot is occupied for good', async () => {
      const { detached } = await node.ask('status');
      return detached === 3;
    });
    expect(await node.ask('status')).toMatchObject({ slots: 3, running: 0, detached: 3 });
    await cluster.finish();

    const runs = await cluster.journal.runs();
    const failed = runs.filter(({ status }) => status === 'failed');
    expect(failed.map(({ error }) => error)).toEqual(Array(3).fill('The run timed out after 1000 ms.'));
    expect(new Set(runs.map(({ status }) => status))).toEqual(new Set(['failed', 'skipped']));
  });

  it('scenario 33: a crash between claim and execution: the run is found by recovery like any other', async () => {
    const dying = await cluster.start('dying', { diesAfterClaim: true });
    await fire(dying, [{ name: 'recovering', jobName: 'work', recover: true }]);
    await dying.exited;
    expect(await cluster.journal.deeds()).toEqual([]);

    await cluster.start('healthy');
    await cluster.untilRuns('recovering', ['abandoned', 'succeeded']);
    await cluster.finish();

    const [abandoned, recovered] = await cluster.journal.runs();
    expect(abandoned).toMatchObject({ nodeId: dying.id, attempt: 1 });
    expect(recovered).toMatchObject({ attempt: 2, idempotencyKey: abandoned?.idempotencyKey });
  });

  it('scenario 34: a rolling restart of three nodes under load: no occurrence lost, none twice', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c']);
    for (let index = 0; index < 20; index += 1) {
      await nodes[0].ask('create', {
        name: `schedule ${index}`,
        jobName: 'work',
        trigger: every('1s'),
        concurrencyPolicy: 'allow',
      });
    }
    await cluster.untilStarted('schedule 19');
    for (const node of nodes) {
      await node.stop();
      const successor = await cluster.start(`successor of ${node.name}`);
      await cluster.until(`the successor of ${node.name} works`, async () => {
        const deeds = await cluster.journal.deeds();
        return deeds.some(({ nodeId }) => nodeId === successor.id);
      });
    }
    await cluster.finish();

    const runs = await cluster.journal.runs();
    expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
  });

  it('scenario 43: a handler that kills its process: fired again at most `maxRecoveries` times, then abandoned for good', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c', 'd'], {
      jobs: { work: 'kills' },
      store: { maxRecoveries: 2 },
    });
    await fire(nodes[0], [{ name: 'deadly', jobName: 'work', recover: true }]);
    await cluster.untilRuns('deadly', ['abandoned', 'abandoned', 'abandoned']);
    const [survivor, ...others] = nodes.filter((node) => node.isAlive);
    expect(others).toEqual([]);
    await cluster.until('the end is announced', async () => {
      const events = await cluster.journal.events();
      return events.some(({ node, payload }) => node === survivor?.name && payload['willRecover'] === false);
    });
    await cluster.finish();

    const runs = await cluster.journal.runs();
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(runs.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(1);
    expect(await cluster.journal.fireRequests()).toEqual([]);
  });
});
