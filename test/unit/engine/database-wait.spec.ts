import { jest } from '@jest/globals';
import { DatabaseWait } from '../../../lib/engine/start-up/database-wait.js';
import { StoreLogger } from '../../../lib/store-logger.js';
import { fakeTime, pass } from './fake-time.js';

const AWAY = Object.assign(new Error('nobody listens'), { code: 'ECONNREFUSED' });

describe('DatabaseWait', () => {
  let lines: string[];

  beforeEach(() => {
    fakeTime();
    lines = [];
    jest.spyOn(StoreLogger.prototype, 'warn').mockImplementation((line) => void lines.push(line));
    jest.spyOn(StoreLogger.prototype, 'log').mockImplementation((line) => void lines.push(line));
  });

  afterEach(() => {
    expect(jest.getTimerCount()).toBe(0);
    jest.restoreAllMocks();
    jest.useRealTimers();
  });

  /** Work that finds the database away for so many times. */
  function failing(times: number) {
    let left = times;
    return jest.fn(async () => {
      if (left > 0) {
        left -= 1;
        throw AWAY;
      }
      return 'done';
    });
  }

  it('does what can be done, and says nothing', async () => {
    await expect(new DatabaseWait(1_000).outlast(failing(0))).resolves.toBe('done');
    expect(lines).toEqual([]);
  });

  it('tries again at growing intervals, and says so once', async () => {
    const work = failing(4);
    const done = new DatabaseWait(30_000).outlast(work);
    await pass(0);
    expect(work).toHaveBeenCalledTimes(1);
    for (const [index, pauseMs] of [100, 200, 400, 800].entries()) {
      await pass(pauseMs - 1);
      expect(work).toHaveBeenCalledTimes(index + 1);
      await pass(1);
    }
    await expect(done).resolves.toBe('done');
    expect(lines).toEqual([
      'The database cannot be reached, the start-up waits for up to 30000 ms: nobody listens',
      'The database can be reached, the start-up goes on.',
    ]);
  });

  it('fails with the last error when the time is over, exactly then', async () => {
    const work = failing(Infinity);
    const failed = new DatabaseWait(250).outlast(work).catch((error: unknown) => error);
    await pass(100);
    expect(work).toHaveBeenCalledTimes(2);
    await pass(149);
    expect(work).toHaveBeenCalledTimes(2);
    await pass(1);
    expect(await failed).toBe(AWAY);
    expect(work).toHaveBeenCalledTimes(3);
  });

  it('waits for all outages together no longer than that', async () => {
    const wait = new DatabaseWait(150);
    const first = wait.outlast(failing(1));
    await pass(100);
    await first;
    const work = failing(Infinity);
    const second = wait.outlast(work).catch((error: unknown) => error);
    await pass(50);
    expect(await second).toBe(AWAY);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it('waits no more once it has waited in vain', async () => {
    const wait = new DatabaseWait(100);
    const first = wait.outlast(failing(Infinity)).catch((error: unknown) => error);
    await pass(100);
    expect(await first).toBe(AWAY);
    const work = failing(Infinity);
    await expect(wait.outlast(work)).rejects.toBe(AWAY);
    expect(work).toHaveBeenCalledTimes(1);
  });

  it.each([
    ['where it is not to wait', 0, AWAY],
    ['what no time mends', 30_000, Object.assign(new Error('no such database'), { code: '3D000' })],
  ])('fails at once %s', async (_, patienceMs, error) => {
    const work = jest.fn(() => Promise.reject(error));
    await expect(new DatabaseWait(patienceMs).outlast(work)).rejects.toBe(error);
    expect(work).toHaveBeenCalledTimes(1);
    expect(lines).toEqual([]);
  });
});
