import { countFires, cron, every } from '../../lib/index.js';
import { Cluster } from './support/cluster.js';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

describe('schedules', () => {
  let cluster: Cluster;

  beforeEach(async () => {
    cluster = await Cluster.create();
  });

  afterEach(async () => {
    await cluster.close();
  });

  /** Waits until the schedule has been executed so many times. */
  async function untilSucceeded(scheduleName: string, times: number): Promise<void> {
    await cluster.until(`${scheduleName} has succeeded ${times} times`, async () => {
      const runs = await cluster.journal.runs(scheduleName);
      return runs.filter(({ status }) => status === 'succeeded').length >= times;
    });
  }

  it('scenario 7: rows corrupted by SQL are parked, visible, and named in one failed run each; every other schedule fires', async () => {
    const [node] = await cluster.startAll(['a', 'b']);
    const names = Array.from({ length: 10 }, (_, index) => `schedule ${index}`);
    for (const name of names) {
      await node.ask('create', {
        name,
        jobName: 'work',
        trigger: cron('* * * * * *'),
        concurrencyPolicy: 'allow',
      });
    }
    await cluster.database.query(
      `update crn_schedule set expr = case name when 'schedule 3' then 'bad' else expr end,
         timezone = case name when 'schedule 7' then 'Foo/Bar' else timezone end`,
    );
    const [corrupted, healthy] = [
      ['schedule 3', 'schedule 7'],
      names.filter((name) => !['schedule 3', 'schedule 7'].includes(name)),
    ];
    await Promise.all(healthy.map((name) => untilSucceeded(name, 5)));
    const failed = await Promise.all(corrupted.map((name) => node.ask('get', name)));
    await cluster.finish();

    expect(failed.map(({ schedule }) => schedule.state)).toEqual(['parked', 'parked']);
    expect(failed.map(({ schedule }) => schedule.parkedReason)).toEqual([
      expect.stringContaining('bad'),
      expect.stringContaining('Foo/Bar'),
    ]);
    for (const name of corrupted) {
      const runs = await cluster.journal.runs(name);
      // It may have fired before it was corrupted.
      expect(runs.filter(({ status }) => status !== 'succeeded').map(({ status }) => status)).toEqual([
        'failed',
      ]);
      expect(runs.at(-1)?.error).toContain('parked');
    }
    for (const name of healthy) {
      const runs = await cluster.journal.runs(name);
      expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([]);
    }
  });

  it('scenario 8: a node without the job never claims it; what stays due is decided by the misfire policy later', async () => {
    const knowing = await cluster.start('knowing', { jobs: { x: 'quick', y: 'quick' } });
    const ignorant = await cluster.start('ignorant', { jobs: { y: 'quick' } });
    await knowing.ask('create', { name: 'of x', jobName: 'x', trigger: every('1m') });
    await knowing.ask('create', { name: 'of y', jobName: 'y', trigger: every('1s') });
    await cluster.advanceClock(MINUTE_MS);
    await untilSucceeded('of x', 1);

    await knowing.stop();
    await cluster.advanceClock(10 * MINUTE_MS);
    const succeeded = (await cluster.journal.runs('of y')).length;
    // While the node that is left claims everything else, what it does not know stays as it is.
    await untilSucceeded('of y', succeeded + 3);
    await cluster.untilRuns('of x', ['succeeded']);
    const { schedule } = await ignorant.ask('get', 'of x');
    expect(schedule.nextFireAtUnixMs).toBeLessThan(await cluster.now());

    const returned = await cluster.start('knowing again', { jobs: { x: 'quick' } });
    await cluster.untilRuns('of x', ['succeeded', 'missed', 'succeeded']);
    await cluster.finish();

    const [first, missed, caughtUp] = await cluster.journal.runs('of x');
    expect([first?.nodeId, caughtUp?.nodeId]).toEqual([knowing.id, returned.id]);
    expect(missed?.missedCount).toBe(
      countFires(every('1m'), {
        after: first?.scheduledAtUnixMs ?? 0,
        until: caughtUp?.claimedAtUnixMs ?? 0,
        anchor: schedule.anchorAtUnixMs,
      }) - 1,
    );
  });

  it.each([
    { name: 'minutely', trigger: cron('* * * * *'), downMs: 101 * MINUTE_MS },
    { name: 'every second', trigger: cron('@every:1000'), downMs: DAY_MS },
  ])(
    'scenario 18: $name, down for $downMs ms, fire_now: one run for the latest occurrence, one missed run with the exact rest',
    async ({ name, trigger, downMs }) => {
      const node = await cluster.start('before');
      await node.ask('create', { name, jobName: 'work', trigger });
      await node.stop();
      const before = await cluster.journal.schedules();
      const cursorUnixMs = before[0]?.nextFireAtUnixMs ?? 0;
      const inJournal = (await cluster.journal.runs()).length;
      await cluster.advanceClock(downMs);
      await cluster.start('after');
      await cluster.until(
        'the gap is journaled',
        async () => (await cluster.journal.runs()).length >= inJournal + 2,
      );
      await cluster.finish();

      const [missed, caughtUp] = (await cluster.journal.runs()).slice(inJournal);
      const claimedAtUnixMs = caughtUp?.claimedAtUnixMs ?? 0;
      const due = { after: cursorUnixMs - 1, until: claimedAtUnixMs };
      expect(missed).toMatchObject({
        status: 'missed',
        scheduledAtUnixMs: cursorUnixMs,
        missedCount: countFires(trigger, due) - 1,
      });
      expect(caughtUp).toMatchObject({ status: 'succeeded', origin: 'schedule' });
      // Within one period of the claim: no occurrence lies between.
      expect(countFires(trigger, { after: caughtUp?.scheduledAtUnixMs ?? 0, until: claimedAtUnixMs })).toBe(
        0,
      );
    },
  );

  it.each([
    { how: 'a cursor moved back by hand', misfireThreshold: '1m', isRestored: false },
    {
      how: 'a cursor moved back by hand beyond the misfire threshold',
      misfireThreshold: 500,
      isRestored: false,
    },
    { how: 'a schedule restored from a backup', misfireThreshold: '1m', isRestored: true },
    {
      how: 'a schedule restored from a backup, beyond the threshold',
      misfireThreshold: 500,
      isRestored: true,
    },
  ])(
    'scenario 44: $how: no occurrence with a run fires again, the schedule goes on',
    async ({ misfireThreshold, isRestored }) => {
      const nodes = await cluster.startAll(['a', 'b'], { store: { misfireThreshold } });
      await nodes[0].ask('create', { name: 'moved', jobName: 'work', trigger: every('1s') });
      await untilSucceeded('moved', 1);
      await cluster.database.query('create table backup as select * from crn_schedule');
      await untilSucceeded('moved', 5);
      await cluster.database.query(
        isRestored
          ? 'delete from crn_schedule; insert into crn_schedule select * from backup'
          : `update crn_schedule s set next_fire_at_unix_ms = b.next_fire_at_unix_ms from backup b where b.id = s.id`,
      );
      const before = (await cluster.journal.runs('moved')).length;
      await untilSucceeded('moved', before + 3);
      await cluster.finish({ expectsRefusedFires: true });
    },
  );
});
