import { every } from '../../lib/index.js';
import { Cluster } from './support/cluster.js';

const MINUTE_MS = 60_000;
const MISSED = 2_500;

describe('backfills', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  it('scenario 19: a limit of three after ten missed, under forbid: the three newest, one after the other, none skipped', async () => {
    const before = await cluster.start('before', { jobs: { work: 'gated' } });
    const { nextFireAtUnixMs: first = 0 } = await before.ask('create', {
      name: 'limited',
      jobName: 'work',
      trigger: every('1m'),
      misfirePolicy: 'backfill',
      backfillLimit: 3,
      concurrencyPolicy: 'forbid',
    });
    await before.stop();
    await cluster.advanceClock(10 * MINUTE_MS);
    await cluster.startAll(['a', 'b'], { jobs: { work: 'gated' } });
    await cluster.untilStarted('limited');
    await cluster.untilRuns('limited', ['missed', 'running']);
    await cluster.openGate('limited');
    await cluster.untilRuns('limited', ['missed', 'succeeded', 'succeeded', 'succeeded']);
    await cluster.finish();

    const runs = await cluster.journal.runs('limited');
    expect(runs[0]).toMatchObject({ scheduledAtUnixMs: first, missedCount: 7, reason: 'backfill_limit' });
    expect(runs.slice(1).map((run) => run.scheduledAtUnixMs)).toEqual(
      [7, 8, 9].map((period) => first + period * MINUTE_MS),
    );
    const deeds = await cluster.journal.deeds('limited');
    expect(deeds.map(({ deed }) => deed).join()).toBe('started,returned,started,returned,started,returned');
  });

  it('scenario 20: 2,500 missed are made up for in their order, and other schedules are never later than one pass', async () => {
    const before = await cluster.start('before');
    const { nextFireAtUnixMs: first = 0 } = await before.ask('create', {
      name: 'long',
      jobName: 'work',
      trigger: every('1m'),
      misfirePolicy: 'backfill',
    });
    await before.stop();
    await cluster.advanceClock(MISSED * MINUTE_MS);
    const [a] = await cluster.startAll(['a', 'b']);
    for (let index = 0; index < 10; index += 1) {
      await a.ask('create', { name: `regular ${index}`, jobName: 'work', trigger: every('1s') });
    }
    const madeUp = async () => (await cluster.journal.runs('long')).length;
    await cluster.until('everything is made up for', async () => (await madeUp()) >= MISSED);
    await cluster.finish();

    const runs = await cluster.journal.runs();
    const backlog = runs.filter(({ scheduleName }) => scheduleName === 'long');
    const executed = (await cluster.journal.deeds('long')).filter(({ deed }) => deed === 'started');
    expect(executed.slice(0, MISSED).map(({ scheduledAtUnixMs }) => scheduledAtUnixMs)).toEqual(
      Array.from({ length: MISSED }, (_, index) => first + index * MINUTE_MS),
    );
    expect(new Set(backlog.map(({ status }) => status))).toEqual(new Set(['succeeded']));
    // Every pass deals with one of the backlog. One that begins when a regular occurrence is due deals with that as well,
    // unless the other node is just about to: so at most one comes in between.
    const regular = runs.filter(({ scheduleName }) => scheduleName !== 'long');
    expect(regular.length).toBeGreaterThan(0);
    const overtaken = regular.map(
      (run) =>
        backlog.filter(
          ({ claimedAtUnixMs }) =>
            claimedAtUnixMs >= run.scheduledAtUnixMs && claimedAtUnixMs < run.claimedAtUnixMs,
        ).length,
    );
    expect(Math.max(...overtaken)).toBeLessThanOrEqual(1);
  });
});
