import { cron, every } from '../../lib/index.js';
import { Cluster } from './support/cluster.js';

/**
 * How many occurrences every schedule of scenario 1 gets. Each second has all nodes compete for all schedules, so that
 * ten of them are two thousand fires and some hundred claims that meet; more find no more.
 */
const OCCURRENCES = 10;

describe('claiming', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  it('1: eight nodes, 200 schedules every second: exactly one run per schedule and second, none missing', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        nodes[0].ask('create', { name: `schedule ${index}`, jobName: 'work', trigger: every('1s') }),
      ),
    );
    await cluster.until('every schedule has fired often enough', async () => {
      const [row] = await cluster.database.query<{ schedules: number; nodes: number }>(
        `select count(*)::int as schedules, (select count(distinct node_id)::int from crn_run) as nodes
         from (select from crn_run where status = 'succeeded' group by schedule_id having count(*) >= $1) as enough`,
        [OCCURRENCES],
      );
      return row?.schedules === 200 && row.nodes === nodes.length;
    });
    await cluster.finish();
  });

  it('2: two nodes, 20 rounds with an occurrence and a manual request each: one run for each, never two', async () => {
    const [a, b] = await cluster.startAll(['a', 'b']);
    await a.ask('create', {
      name: 'minutely',
      jobName: 'work',
      trigger: cron('* * * * *'),
      concurrencyPolicy: 'allow',
    });
    const requestIds: string[] = [];
    for (let round = 1; round <= 20; round += 1) {
      await cluster.advanceClock(60_000);
      const receipt = await (round % 2 === 0 ? a : b).ask('triggerNow', 'minutely');
      requestIds.push(receipt.requestId);
      await cluster.until(`both runs of round ${round} have succeeded`, async () => {
        const runs = await cluster.journal.runs();
        return runs.filter((run) => run.status === 'succeeded').length >= 2 * round;
      });
    }
    await cluster.finish();

    const runs = await cluster.journal.runs();
    const manual = runs.filter((run) => run.origin === 'manual');
    expect(manual.map((run) => run.idempotencyKey)).toEqual(requestIds);
    expect(runs).toHaveLength(40);
  });

  it('3: several processes on one host, started at once: distinct node ids', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c', 'd']);
    await cluster.until('every node is known to the store', async () => {
      const rows = await cluster.database.query<{ id: string }>('select id from crn_node');
      return rows.length === nodes.length;
    });
    expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
    await cluster.finish();
  });

  it('4: one node an hour ahead, one an hour behind: nothing early, nothing late, nothing twice', async () => {
    const hourMs = 3_600_000;
    const ahead = await cluster.start('ahead', { clockAheadMs: hourMs });
    const behind = await cluster.start('behind', { clockAheadMs: -hourMs });
    const createdAtUnixMs = await cluster.now();
    for (const [node, name] of [
      [ahead, 'of ahead'],
      [behind, 'of behind'],
    ] as const) {
      const created = await node.ask('create', { name, jobName: 'work', trigger: cron('* * * * * *') });
      expect(created.createdAtUnixMs).toBeGreaterThanOrEqual(createdAtUnixMs);
      expect(created.createdAtUnixMs).toBeLessThanOrEqual(await cluster.now());
    }
    await cluster.until('both nodes have executed some', async () => {
      const deeds = await cluster.journal.deeds();
      return [ahead, behind].every((node) => deeds.filter((deed) => deed.nodeId === node.id).length >= 6);
    });
    await cluster.finish();

    const deeds = await cluster.journal.deeds();
    const runs = await cluster.journal.runs();
    expect(deeds.filter((deed) => deed.atUnixMs < deed.scheduledAtUnixMs)).toEqual([]);
    expect(runs.filter((run) => run.claimedAtUnixMs < run.scheduledAtUnixMs)).toEqual([]);
    expect(runs.filter((run) => run.status !== 'succeeded')).toEqual([]);
    const [latest] = runs.slice(-1);
    expect(latest?.finishedAtUnixMs).toBeLessThanOrEqual(await cluster.now());
  });
});
