import { randomUUID } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { every } from '../../lib/index.js';
import { Cluster, type NodeOptions } from './support/cluster.js';
import type { ClusterNode } from './support/cluster-node.js';

/** A blocked loop keeps one of few processors busy, and heartbeats are to be in time all the same. */
const ABANDONED_AFTER_MS = 4_000;
const STUCK_AFTER_MS = 2 * ABANDONED_AFTER_MS;
const TIMING = { heartbeatInterval: 500, abandonedAfter: ABANDONED_AFTER_MS };

/** A node whose handler blocks, and one that would do the same work at once. */
const BLOCKING: NodeOptions = { jobs: { work: 'blocks', other: 'gated' }, store: TIMING };
const HEALTHY: NodeOptions = { jobs: { work: 'quick', other: 'quick' }, store: TIMING };

describe('a handler that blocks the event loop', () => {
  let cluster: Cluster;
  let release: string;

  beforeEach(async () => {
    release = join(tmpdir(), `cluster-release-${randomUUID()}`);
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
    await rm(release, { force: true });
  });

  /** Lets a node block, beside another run of its, and starts a node that would take its runs over. */
  async function block(options: NodeOptions): Promise<{ blocked: ClusterNode; blockedAtUnixMs: number }> {
    const blocked = await cluster.start('blocked', options);
    for (const name of ['other', 'work']) {
      await blocked.ask('create', {
        name,
        jobName: name,
        trigger: every('1h'),
        params: release,
        recover: true,
      });
      await blocked.ask('triggerNow', name);
      await cluster.untilStarted(name);
    }
    const blockedAtUnixMs = await cluster.now();
    await cluster.untilWatchful(await cluster.start('healthy', HEALTHY), ABANDONED_AFTER_MS);
    return { blocked, blockedAtUnixMs };
  }

  async function untilSince(blockedAtUnixMs: number, ms: number): Promise<void> {
    await cluster.until(`${ms} ms have passed`, async () => (await cluster.now()) > blockedAtUnixMs + ms);
  }

  async function unblock(): Promise<void> {
    await writeFile(release, '');
    await cluster.openGate('other');
  }

  it('scenario 31: keeps its run and those beside it, however much longer than `abandonedAfter`', async () => {
    const { blocked, blockedAtUnixMs } = await block(BLOCKING);
    await untilSince(blockedAtUnixMs, 3 * ABANDONED_AFTER_MS);
    await unblock();
    await cluster.untilRuns('work', ['succeeded']);
    await cluster.untilRuns('other', ['succeeded']);
    await cluster.until('it is told', () => blocked.log.includes('a worker thread stood in for it'));
    await cluster.finish();

    expect(new Set((await cluster.journal.deeds()).map(({ nodeId }) => nodeId))).toEqual(
      new Set([blocked.id]),
    );
    // Nothing that the thread does brings a node back that has left.
    expect(await cluster.database.query('select id from crn_node')).toEqual([]);
  });

  it('loses its runs `abandonedAfter` after `stuckAfter`, and what it does in the end changes nothing', async () => {
    const { blocked, blockedAtUnixMs } = await block({
      ...BLOCKING,
      store: { ...TIMING, stuckAfter: STUCK_AFTER_MS },
    });
    await cluster.untilRuns('work', ['abandoned', 'succeeded']);
    // The gate stays shut: the run beside the blocking one ends because it is told, and is not let go before.
    await writeFile(release, '');
    await cluster.until('the blocked node has learned of it', async () => {
      const deeds = await cluster.journal.deeds();
      const hasDone = (schedule: string, deed: string) =>
        deeds.some(
          (record) =>
            record.nodeId === blocked.id && record.scheduleName === schedule && record.deed === deed,
        );
      return hasDone('work', 'returned') && hasDone('other', 'aborted');
    });
    await cluster.finish();

    const [abandoned, recovered] = await cluster.journal.runs('work');
    expect(abandoned).toMatchObject({ status: 'abandoned', nodeId: blocked.id });
    expect(abandoned?.heartbeatAtUnixMs).toBeGreaterThan(blockedAtUnixMs + ABANDONED_AFTER_MS);
    expect(abandoned?.finishedAtUnixMs).toBeGreaterThan(blockedAtUnixMs + STUCK_AFTER_MS);
    expect(recovered).toMatchObject({ origin: 'recovery', idempotencyKey: abandoned?.idempotencyKey });
    expect(recovered?.nodeId).not.toBe(blocked.id);
    const events = await cluster.journal.events();
    expect(events.filter(({ node }) => node === 'blocked')).toEqual([]);
  });

  it('loses its runs after `abandonedAfter` where no thread stands in', async () => {
    const { blocked } = await block({ ...BLOCKING, store: { ...TIMING, stuckAfter: 0 } });
    await cluster.untilRuns('work', ['abandoned', 'succeeded']);
    await unblock();
    await cluster.until('it has returned in the end', async () => {
      const deeds = await cluster.journal.deeds('work');
      return deeds.some(({ nodeId, deed }) => nodeId === blocked.id && deed === 'returned');
    });
    await cluster.finish();
  });
});
