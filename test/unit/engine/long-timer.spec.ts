import { jest } from '@jest/globals';
import { LongTimer, waitAtMost } from '../../../lib/engine/timing/long-timer.js';
import { fakeTime, pass } from './fake-time.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

describe('LongTimer', () => {
  beforeEach(fakeTime);
  afterEach(() => {
    jest.useRealTimers();
  });

  it('is due after its delay and not before', async () => {
    const onDue = jest.fn();
    expect(new LongTimer(1_000, onDue)).toBeDefined();
    await pass(999);
    expect(onDue).not.toHaveBeenCalled();
    await pass(1);
    expect(onDue).toHaveBeenCalledTimes(1);
    await pass(DAY_MS);
    expect(onDue).toHaveBeenCalledTimes(1);
  });

  it('is due at once where there is nothing to wait for', () => {
    const onDue = jest.fn();
    expect(new LongTimer(0, onDue)).toBeDefined();
    expect(onDue).toHaveBeenCalledTimes(1);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('waits for delays beyond what a timer takes, without waking meanwhile more than it must', async () => {
    const timers = jest.spyOn(globalThis, 'setTimeout');
    const onDue = jest.fn();
    expect(new LongTimer(305 * DAY_MS, onDue)).toBeDefined();
    await pass(305 * DAY_MS - 1);
    expect(onDue).not.toHaveBeenCalled();
    expect(timers.mock.calls.every(([, delay]) => Number(delay) < 2 ** 31)).toBe(true);
    await pass(1);
    expect(onDue).toHaveBeenCalledTimes(1);
    // 305 days are 12.3 of the longest timers.
    expect(timers).toHaveBeenCalledTimes(13);
    timers.mockRestore();
  });

  it('waits again when a timer returns early', async () => {
    const elapsed = jest.spyOn(performance, 'now').mockReturnValue(0);
    const onDue = jest.fn();
    expect(new LongTimer(1_000, onDue)).toBeDefined();
    elapsed.mockReturnValue(985.5);
    await pass(1_000);
    expect(onDue).not.toHaveBeenCalled();
    elapsed.mockReturnValue(1_000);
    await pass(15);
    expect(onDue).toHaveBeenCalledTimes(1);
    elapsed.mockRestore();
  });

  it('is never due once it is canceled', async () => {
    const onDue = jest.fn();
    const timer = new LongTimer(30 * DAY_MS, onDue);
    await pass(29 * DAY_MS);
    timer.cancel();
    expect(jest.getTimerCount()).toBe(0);
    await pass(30 * DAY_MS);
    expect(onDue).not.toHaveBeenCalled();
  });
});

describe('waitAtMost', () => {
  beforeEach(fakeTime);
  afterEach(() => {
    jest.useRealTimers();
  });

  it('ends with what it waits for, and leaves no timer behind', async () => {
    await waitAtMost(DAY_MS, Promise.resolve());
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends with what it waits for also when that fails', async () => {
    await waitAtMost(DAY_MS, Promise.reject(new Error('away')));
    expect(jest.getTimerCount()).toBe(0);
  });

  it('ends at its limit', async () => {
    const ended = jest.fn();
    void waitAtMost(1_000, new Promise(() => undefined)).then(ended);
    await pass(999);
    expect(ended).not.toHaveBeenCalled();
    await pass(1);
    expect(ended).toHaveBeenCalledTimes(1);
  });
});
