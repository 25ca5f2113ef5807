import { jest } from '@jest/globals';
import { WakeableSleep } from '../../../lib/engine/timing/wakeable-sleep.js';
import { fakeTime, pass } from './fake-time.js';

describe('WakeableSleep', () => {
  beforeEach(fakeTime);
  afterEach(() => {
    jest.useRealTimers();
  });

  it('sleeps as long as it is told', async () => {
    const awake = jest.fn();
    void new WakeableSleep().sleep(1_000).then(awake);
    await pass(999);
    expect(awake).not.toHaveBeenCalled();
    await pass(1);
    expect(awake).toHaveBeenCalledTimes(1);
  });

  it('ends when it is woken, and leaves no timer behind', async () => {
    const sleep = new WakeableSleep();
    const asleep = sleep.sleep(1_000);
    sleep.wake();
    await asleep;
    expect(jest.getTimerCount()).toBe(0);
  });

  it('keeps a wake-up that comes while nobody sleeps, once', async () => {
    const sleep = new WakeableSleep();
    sleep.wake();
    sleep.wake();
    await sleep.sleep(1_000);
    const awake = jest.fn();
    void sleep.sleep(1_000).then(awake);
    await pass(999);
    expect(awake).not.toHaveBeenCalled();
    await pass(1);
    expect(awake).toHaveBeenCalledTimes(1);
  });

  it('does not carry a wake-up of one sleep over to the next', async () => {
    const sleep = new WakeableSleep();
    const asleep = sleep.sleep(1_000);
    sleep.wake();
    sleep.wake();
    await asleep;
    const awake = jest.fn();
    void sleep.sleep(1_000).then(awake);
    await pass(999);
    expect(awake).not.toHaveBeenCalled();
  });
});
