import { every } from '../../lib/index.js';
import { Cluster } from './support/cluster.js';

/** How often scenario 13 deletes the schedule and creates it again. */
const REBIRTHS = 10;

describe('changes of schedules', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  it('scenario 13: a name is deleted and created again at once, while it is due every second: the new one fires', async () => {
    const [a, b] = await cluster.startAll(['a', 'b']);
    const create = async () => a.ask('create', { name: 'reborn', jobName: 'work', trigger: every('1s') });
    const runsOf = async (scheduleId: string) =>
      (await cluster.journal.runs('reborn')).filter((run) => run.scheduleId === scheduleId);

    let { id } = await create();
    const lastRuns = new Map<string, number>();
    for (let round = 0; round < REBIRTHS; round += 1) {
      await cluster.until('it has fired', async () => (await runsOf(id)).length > 0);
      await b.ask('delete', 'reborn');
      const reborn = await create();
      lastRuns.set(id, (await runsOf(id)).length);
      ({ id } = reborn);
    }
    await cluster.until('the last one goes on', async () => (await runsOf(id)).length >= 3);
    await cluster.finish();

    // What was deleted has fired for the last time, and nothing of it passed on to what has its name.
    for (const [deletedId, count] of lastRuns) {
      expect(await runsOf(deletedId)).toHaveLength(count);
    }
    expect(new Set([...lastRuns.keys(), id]).size).toBe(REBIRTHS + 1);
  });

  it('scenario 14: an interval of ten seconds becomes one of two: the other nodes follow at once', async () => {
    // Only a wake-up ends a sleep that would last until the old occurrence.
    const store = { pollInterval: '1h' };
    const editor = await cluster.start('editor', { jobs: { other: 'quick' }, store });
    const others = await cluster.startAll(['a', 'b'], { store });
    // So far away that no load of the machine delays a fire for as long.
    for (const [name, before] of [
      ['seconds', '10s'],
      ['minutes', '10m'],
    ] as const) {
      const created = await editor.ask('create', { name, jobName: 'work', trigger: every(before) });
      const patched = await editor.ask('patch', name, { trigger: every('2s') });
      await cluster.untilStarted(name, 3);
      const [first, second] = await cluster.journal.runs(name);
      expect(first?.scheduledAtUnixMs).toBeLessThanOrEqual(patched.updatedAtUnixMs + 2_000);
      expect((second?.scheduledAtUnixMs ?? 0) - (first?.scheduledAtUnixMs ?? 0)).toBe(2_000);
      expect(others.map((node) => node.id)).toContain(first?.nodeId);
      if (before === '10m') {
        expect(first?.claimedAtUnixMs).toBeLessThan(created.nextFireAtUnixMs ?? 0);
      }
    }
    await cluster.finish();
  });
});
