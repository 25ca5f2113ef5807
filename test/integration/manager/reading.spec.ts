import {
  cron,
  every,
  once,
  type Run,
  type RunFilter,
  type ScheduleFilter,
  type ScheduleSpec,
} from '../../../lib/index.js';
import { CRON_STORE_STORAGE, insertRuns, mintId, type Storage } from '../../../lib/storage/index.js';
import { StoreSchema } from '../../../lib/storage/schema/store-schema.js';
import { DAY, HOUR, MINUTE, NOON, startStillStore, type StillStore } from './support/still-store.js';

const HOURLY = { jobName: 'job', trigger: cron('0 * * * *') };

/** The logical times of runs, after noon. */
function times(runs: readonly Run[]): number[] {
  return runs.map((run) => run.scheduledAtUnixMs - NOON);
}

describe('reading', () => {
  let store: StillStore;
  let name: string;

  beforeAll(async () => {
    store = await startStillStore();
  });

  afterAll(() => store.close());

  beforeEach(async () => {
    await store.setNow(NOON);
    name = store.freshName();
  });

  async function previewOf(given: Partial<ScheduleSpec>, laterMs = 0) {
    await store.manager.create({ name, ...HOURLY, ...given });
    await store.setNow(NOON + laterMs);
    return (await store.manager.get(name)).nextFiresUnixMs;
  }

  /** The last letters of the names that are listed, of the schedules of this test. */
  async function lettersOf(filter: ScheduleFilter) {
    const listed = await store.manager.list(filter);
    return listed
      .filter((schedule) => schedule.name.startsWith(name))
      .map((schedule) => schedule.name.at(-1));
  }

  /** Journals occurrences, oldest first, as claims would. */
  async function journal(given: readonly Partial<Run>[]) {
    const { id } = await store.manager.create({ name, ...HOURLY });
    await store.node.app.get<Storage>(CRON_STORE_STORAGE).connections.transaction('manager', ({ executor }) =>
      insertRuns(
        executor,
        new StoreSchema('public'),
        given.map((run, index) => ({
          id: mintId(NOON),
          scheduleId: id,
          scheduleName: name,
          jobName: 'job',
          origin: 'schedule',
          scheduledAtUnixMs: NOON + index,
          occurrenceAtUnixMs: NOON + index,
          claimedAtUnixMs: NOON,
          status: 'succeeded',
          missedCount: 0,
          attempt: 1,
          recoveries: 0,
          idempotencyKey: 'key',
          createdAtUnixMs: NOON,
          createdBy: 'system',
          ...run,
        })),
      ),
    );
  }

  async function countRuns(filter: RunFilter) {
    return (await store.manager.listRuns({ scheduleName: name, ...filter })).length;
  }

  describe('get', () => {
    it('shows the next five fires', async () => {
      expect(await previewOf({})).toEqual([1, 2, 3, 4, 5].map((hours) => NOON + hours * HOUR));
    });

    it('shows fewer where there are no more', async () => {
      expect(await previewOf({ trigger: once(NOON + 5) })).toEqual([NOON + 5]);
    });

    it('ends with endsAt, inclusive', async () => {
      expect(await previewOf({ endsAt: NOON + 2 * HOUR })).toEqual([NOON + HOUR, NOON + 2 * HOUR]);
    });

    it('shows an occurrence that is due and on time', async () => {
      expect(await previewOf({}, HOUR + MINUTE)).toEqual([1, 2, 3, 4, 5].map((hours) => NOON + hours * HOUR));
    });

    it('projects an overdue cursor through fire_now: the latest due one, then the future', async () => {
      expect(await previewOf({}, 3 * HOUR + 10 * MINUTE)).toEqual(
        [3, 4, 5, 6, 7].map((hours) => NOON + hours * HOUR),
      );
    });

    it('projects an overdue cursor through skip: only the future', async () => {
      expect(await previewOf({ misfirePolicy: 'skip' }, 3 * HOUR + 10 * MINUTE)).toEqual(
        [4, 5, 6, 7, 8].map((hours) => NOON + hours * HOUR),
      );
    });

    it('shows the one catch-up of a single fire that is overdue, and none under skip', async () => {
      expect(await previewOf({ trigger: once(NOON + 5) }, DAY)).toEqual([NOON + 5]);
      name = store.freshName();
      await store.setNow(NOON);
      expect(await previewOf({ trigger: once(NOON + 5), misfirePolicy: 'skip' }, DAY)).toEqual([]);
    });

    it.each([
      ['paused', 'is_enabled = false'],
      ['spent', 'next_fire_at_unix_ms = null'],
      ['parked', `parked_reason = 'why', next_fire_at_unix_ms = null`],
    ])('shows none of a %s schedule', async (state, change) => {
      await store.manager.create({ name, ...HOURLY });
      await store.database.query(`update crn_schedule set ${change} where name = $1`, [name]);

      expect(await store.manager.get(name)).toMatchObject({ schedule: { state }, nextFiresUnixMs: [] });
    });

    it('shows none of a row that cannot be evaluated, and still reads it', async () => {
      await store.manager.create({ name, ...HOURLY });
      await store.database.query(`update crn_schedule set expr = 'bad' where name = $1`, [name]);

      expect(await store.manager.get(name)).toMatchObject({ schedule: { expr: 'bad' }, nextFiresUnixMs: [] });
    });
  });

  describe('list', () => {
    it('lists by name, and filters by job and by enablement', async () => {
      for (const [suffix, jobName, enabled] of [
        ['b', 'job', true],
        ['a', 'other', true],
        ['c', 'other', false],
      ] as const) {
        await store.manager.create({ ...HOURLY, name: `${name}-${suffix}`, jobName, enabled });
      }
      expect(await lettersOf({})).toEqual(['a', 'b', 'c']);
      expect(await lettersOf({ jobName: 'other' })).toEqual(['a', 'c']);
      expect(await lettersOf({ enabled: false })).toEqual(['c']);
      expect(await lettersOf({ jobName: 'other', enabled: true })).toEqual(['a']);
      expect(await lettersOf({ jobName: 'nobody' })).toEqual([]);
    });

    it('shows what get shows', async () => {
      await store.manager.create({ ...HOURLY, name, params: { a: [1] }, trigger: every('5m') });
      const { schedule } = await store.manager.get(name);

      expect((await store.manager.list()).find((listed) => listed.name === name)).toEqual(schedule);
    });
  });

  describe('listRuns', () => {
    it('lists the newest claim first', async () => {
      await journal([{}, {}, {}]);

      expect(times(await store.manager.listRuns({ scheduleName: name }))).toEqual([2, 1, 0]);
    });

    it('filters by status, job and logical time, the bounds included', async () => {
      await journal([{ status: 'failed' }, { jobName: 'other' }, { status: 'missed' }, {}]);
      const of = async (filter: object) =>
        times(await store.manager.listRuns({ scheduleName: name, ...filter }));

      expect(await of({ statuses: ['failed', 'missed'] })).toEqual([2, 0]);
      expect(await of({ statuses: [] })).toEqual([]);
      expect(await of({ jobName: 'other' })).toEqual([1]);
      expect(await of({ since: NOON + 1, until: new Date(NOON + 2) })).toEqual([2, 1]);
      expect(await of({ since: NOON + 2, until: NOON + 1 })).toEqual([]);
      expect(await of({ since: -8_640_000_000_000_000, until: 8_640_000_000_000_000 })).toHaveLength(4);
      expect(await of({ scheduleName: `${name} of another` })).toEqual([]);
    });

    it('lists 100 unless told, and never more than 1000', async () => {
      await journal(Array.from({ length: 1_001 }, () => ({})));
      expect(await countRuns({})).toBe(100);
      expect(await countRuns({ limit: 0 })).toBe(100);
      expect(await countRuns({ limit: 1 })).toBe(1);
      expect(await countRuns({ limit: 1_000 })).toBe(1_000);
      expect(await countRuns({ limit: 5_000 })).toBe(1_000);
    });
  });
});
