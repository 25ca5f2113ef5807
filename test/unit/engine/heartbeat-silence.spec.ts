import { jest } from '@jest/globals';
import { Silence } from '../../../lib/engine/heartbeat/heartbeat-silence.js';
import { fakeTime, pass } from './fake-time.js';

const INTERVAL_MS = 10_000;
const STUCK_AFTER_MS = 60_000;

describe('Silence', () => {
  const beat = jest.fn<() => Promise<void>>();
  let silence: Silence;

  beforeEach(() => {
    fakeTime();
    beat.mockReset().mockResolvedValue();
    silence = new Silence({ intervalMs: INTERVAL_MS, stuckAfterMs: STUCK_AFTER_MS, beat });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  it('lets the main thread be late by half an interval, and then stands in once in each', async () => {
    await pass(14_999);
    expect(beat).not.toHaveBeenCalled();
    await pass(1);
    expect(beat).toHaveBeenCalledTimes(1);
    await pass(INTERVAL_MS - 1);
    expect(beat).toHaveBeenCalledTimes(1);
    await pass(1);
    expect(beat).toHaveBeenCalledTimes(2);
  });

  it('does nothing any more when the main thread is heard again, and says what happened', async () => {
    await pass(26_000);
    expect(silence.end()).toEqual({ silentMs: 26_000, beats: 2 });
    await pass(STUCK_AFTER_MS);
    expect(beat).toHaveBeenCalledTimes(2);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('stops when the main thread counts as stuck, for good', async () => {
    await pass(STUCK_AFTER_MS);
    expect(beat).toHaveBeenCalledTimes(5);
    await pass(24 * 60 * STUCK_AFTER_MS);
    expect(beat).toHaveBeenCalledTimes(5);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('tries again soon after a heartbeat that failed, which does not count', async () => {
    beat.mockRejectedValueOnce(new Error('The database is away.'));
    await pass(15_000);
    expect(beat).toHaveBeenCalledTimes(1);
    await pass(1_000);
    expect(beat).toHaveBeenCalledTimes(2);
    expect(silence.end()).toEqual({ silentMs: 16_000, beats: 1 });
  });

  it('goes on trying while the database is away, and stops as soon as otherwise', async () => {
    beat.mockRejectedValue(new Error('The database is away.'));
    await pass(STUCK_AFTER_MS - 1);
    expect(beat).toHaveBeenCalledTimes(45);
    await pass(STUCK_AFTER_MS);
    expect(beat).toHaveBeenCalledTimes(45);
  });

  it('does not go on when it ends while a heartbeat is under way', async () => {
    beat.mockImplementationOnce(() => new Promise((resolve) => setTimeout(resolve, 5_000)));
    await pass(15_000);
    silence.end();
    await pass(STUCK_AFTER_MS);
    expect(beat).toHaveBeenCalledTimes(1);
  });
});
