import { StillStorage } from './support/still-storage.js';

const JOBS = ['work'];
const MISFIRE_THRESHOLD_MS = 60_000;

describe('the agenda of a node', () => {
  let still: StillStorage;
  let scheduleId: string;

  beforeAll(async () => {
    still = await StillStorage.start();
  });

  beforeEach(async () => {
    scheduleId = await still.createSchedule('schedule');
  });

  afterEach(async () => {
    await still.database.empty('crn_schedule', 'crn_run', 'crn_fire_request', 'crn_backfill');
  });

  afterAll(async () => {
    await still.close();
  });

  /** What is owed to the schedule, long due. */
  const OWED: Readonly<Record<string, () => Promise<unknown>>> = {
    recovery: () => request('recovery', false),
    retry: () => request('retry', false),
    'queued fire': () => request('manual', true),
    backlog: () =>
      still.database.query(
        `update crn_schedule set misfire_policy = 'backfill', next_fire_at_unix_ms = 1_000 where id = $1`,
        [scheduleId],
      ),
    'past range': () =>
      still.database.query(
        `insert into crn_backfill (id, schedule_id, from_unix_ms, to_unix_ms, next_unix_ms, total, fired, status,
           created_at_unix_ms, created_by)
         values (gen_random_uuid(), $1, 1_000, 2_000, 1_000, 1, 0, 'running', 1_000, 'operator')`,
        [scheduleId],
      ),
  };

  async function request(origin: string, isQueued: boolean): Promise<void> {
    await still.database.query(
      `insert into crn_fire_request (id, schedule_id, origin, scheduled_at_unix_ms, due_at_unix_ms, attempt,
         recoveries, idempotency_key, fires_while_paused, is_queued, created_at_unix_ms, created_by)
       values (gen_random_uuid(), $1, $2, 1_000, 1_000, 1, 0, 'key', false, $3, 1_000, 'system')`,
      [scheduleId, origin, isQueued],
    );
  }

  async function isAnythingDue(): Promise<boolean> {
    const { nowUnixMs, nextDueAtUnixMs } = await still.storage.agenda.read(JOBS, MISFIRE_THRESHOLD_MS);
    return nextDueAtUnixMs !== undefined && nextDueAtUnixMs <= nowUnixMs;
  }

  it.each(Object.keys(OWED))(
    'leaves a %s out that waits under `forbid`, and has it when nothing runs any more',
    async (kind) => {
      const runId = await still.journal({ scheduleId });
      await OWED[kind]?.();
      expect(await isAnythingDue()).toBe(false);
      await still.database.query(`update crn_run set status = 'succeeded' where id = $1`, [runId]);
      expect(await isAnythingDue()).toBe(true);
    },
  );
});
