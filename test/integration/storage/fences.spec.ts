import { randomUUID } from 'node:crypto';
import { StillStorage } from './support/still-storage.js';

describe('the fences of the journal and of the requests', () => {
  let still: StillStorage;
  let scheduleId: string;

  beforeAll(async () => {
    still = await StillStorage.start();
    scheduleId = await still.createSchedule('schedule');
  });

  afterAll(async () => {
    await still.close();
  });

  it('take one run of an occurrence, of a repetition, and of a caller’s key', async () => {
    const occurrence = { origin: 'schedule', scheduledAtUnixMs: 7_000, occurrenceAtUnixMs: 7_000 } as const;
    const repetition = { origin: 'recovery', repeatsRunId: randomUUID() } as const;
    const keyed = { requestKey: 'the only one' };
    for (const given of [occurrence, repetition, keyed]) {
      const first = await still.journal({ scheduleId, ...given });
      const second = await still.journal({ scheduleId, ...given });
      expect(await still.journaled([first, second])).toEqual([first]);
    }
    // A manual fire, and another schedule, may have the same logical time.
    const others = [
      await still.journal({ scheduleId, scheduledAtUnixMs: 7_000 }),
      await still.journal({ ...occurrence, scheduleId: randomUUID() }),
    ];
    expect(await still.journaled(others)).toHaveLength(2);
  });

  it('take one request for the repetition of a run, whoever asks again', async () => {
    const id = await still.journal({ scheduleId });
    const { connections, requests } = still.storage;
    const ask = async () =>
      connections.transaction('engine', ({ executor, nowUnixMs }) =>
        requests.repeat(
          executor,
          [{ runId: id, origin: 'recovery', countsAsRecovery: true, dueAtUnixMs: nowUnixMs }],
          nowUnixMs,
          5,
        ),
      );
    expect([...(await ask())]).toEqual([id]);
    expect([...(await ask())]).toEqual([]);
    expect(await still.repeatedIds()).toEqual([id]);
  });
});
