import { cron, every, once } from '../../lib/index.js';
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

  it('scenario 1: eight nodes, 200 schedules every second: exactly one run per schedule and second, none missing', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']);
    await Promise.all(
      nodes.map(async (node) => {
        for (let index = 0; index < 200 / nodes.length; index += 1) {
          await node.ask('create', { name: `${node.name} ${index}`, jobName: 'work', trigger: every('1s') });
        }
      }),
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

  it('scenario 2: two nodes, 20 rounds with an occurrence and a manual request each: one run for each, never two', async () => {
    const [a, b] = await cluster.startAll(['a', 'b']);
    await a.ask('create', {
      name: 'hourly',
      jobName: 'work',
      // From its creation on, and far apart, so that none comes due by the time that the rounds take.
      trigger: every('1h'),
      concurrencyPolicy: 'allow',
    });
    const requestIds: string[] = [];
    for (let round = 1; round <= 20; round += 1) {
      await cluster.advanceClock(3_600_000);
      const receipt = await (round % 2 === 0 ? a : b).ask('triggerNow', 'hourly');
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

  it('scenario 3: several processes on one host, started at once: distinct node ids', async () => {
    const nodes = await cluster.startAll(['a', 'b', 'c', 'd']);
    await cluster.until('every node is known to the store', async () => {
      const rows = await cluster.database.query<{ id: string }>('select id from crn_node');
      return rows.length === nodes.length;
    });
    expect(new Set(nodes.map((node) => node.id)).size).toBe(nodes.length);
    await cluster.finish();
  });

  it('scenario 4: one node an hour ahead, one an hour behind: nothing early, nothing late, nothing twice', async () => {
    const hourMs = 3_600_000;
    const ahead = await cluster.start('ahead', { clockAheadMs: hourMs });
    const behind = await cluster.start('behind', { clockAheadMs: -hourMs });
    const createdAtUnixMs = await cluster.now();
    for (const [node, name] of [
      [ahead, 'of ahead'],
      [behind, 'of behind'],
    ] as const) {
      const created = await node.ask('create', {
        name,
        jobName: 'work',
        trigger: cron('* * * * * *'),
        concurrencyPolicy: 'allow',
      });
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

  it('scenario 9: a thousand schedules due in one second, sixteen slots: all run, the oldest first, and how late is journaled', async () => {
    const node = await cluster.start('only', { store: { maxConcurrent: 16 } });
    const hourMs = 3_600_000;
    const dueAtUnixMs = (await cluster.now()) + hourMs;
    // In an order that is neither that of their instants nor its reverse.
    for (let index = 0; index < 1_000; index += 1) {
      const place = (index * 7) % 1_000;
      await node.ask('create', { name: `at ${place}`, jobName: 'work', trigger: once(dueAtUnixMs + place) });
    }
    await cluster.advanceClock(hourMs);
    await cluster.until('all of them have run', async () => {
      const runs = await cluster.journal.runs();
      return runs.filter(({ status }) => status === 'succeeded').length === 1_000;
    });
    await cluster.finish();

    const runs = await cluster.journal.runs();
    expect(new Set(runs.map(({ scheduleName }) => scheduleName)).size).toBe(1_000);
    // Claims side by side take what comes next, each its own, and one may be slow: but nothing had been executed when the
    // claim of something older began.
    const starts = (await cluster.journal.deeds()).filter(({ deed }) => deed === 'started');
    const startedAtUnixMs = new Map(starts.map(({ runId, atUnixMs }) => [runId, atUnixMs]));
    let youngerStartedAtUnixMs = Infinity;
    for (const run of runs.toSorted((left, right) => right.scheduledAtUnixMs - left.scheduledAtUnixMs)) {
      expect(run.claimedAtUnixMs).toBeLessThanOrEqual(youngerStartedAtUnixMs);
      youngerStartedAtUnixMs = Math.min(youngerStartedAtUnixMs, startedAtUnixMs.get(run.id) ?? -Infinity);
    }
    const waits = runs.map((run) => run.claimedAtUnixMs - run.scheduledAtUnixMs);
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...waits)).toBeGreaterThan(Math.min(...waits));
  });

  it('scenario 10: sixty schedules that fail at the head of the queue: the healthy ones behind them fire all the same', async () => {
    const node = await cluster.start('only', { jobs: { failing: 'throws', work: 'quick' } });
    const create = async (name: string, jobName: string) =>
      node.ask('create', { name, jobName, trigger: every('1s'), concurrencyPolicy: 'allow' });
    for (let index = 0; index < 60; index += 1) {
      await create(`failing ${index}`, 'failing');
    }
    await create('healthy', 'work');
    await cluster.untilStarted('healthy', 5);
    await cluster.finish();

    const runs = await cluster.journal.runs();
    const statuses = (jobName: string) =>
      new Set(runs.filter((run) => run.jobName === jobName).map(({ status }) => status));
    expect([...statuses('failing')]).toEqual(['failed']);
    expect([...statuses('work')]).toEqual(['succeeded']);
  });

  it('scenario 12: paused or deleted while other nodes claim: no run from then on', async () => {
    const [a, b] = await cluster.startAll(['a', 'b']);
    const names = Array.from({ length: 16 }, (_, index) => `schedule ${index}`);
    for (const name of names) {
      await a.ask('create', { name, jobName: 'work', trigger: every('1s') });
    }
    await cluster.untilStarted('schedule 15');
    // One after the other, while all of them are due every second: some change comes between a read and its claim.
    const counted = new Map<string, number>();
    for (const [index, name] of names.slice(0, 12).entries()) {
      const node = index % 2 === 0 ? a : b;
      await (index % 3 === 0 ? node.ask('delete', name) : node.ask('pause', name));
      counted.set(name, (await cluster.journal.runs(name)).length);
    }
    const before = (await cluster.journal.runs('schedule 15')).length;
    await cluster.until(
      'the others have fired on',
      async () => (await cluster.journal.runs('schedule 15')).length >= before + 3,
    );
    await cluster.finish();

    for (const [name, count] of counted) {
      const runs = await cluster.journal.runs(name);
      expect({ name, count: runs.length }).toEqual({ name, count });
    }
  });
});
