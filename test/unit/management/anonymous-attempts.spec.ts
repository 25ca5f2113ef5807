import { jest } from '@jest/globals';
import type { AuditEntry, AuditTrail } from '../../../lib/manager/index.js';
import { AnonymousAttempts } from '../../../lib/management/pipeline/anonymous-attempts.js';

describe('anonymous attempts', () => {
  let recorded: AuditEntry[];
  let attempts: AnonymousAttempts;

  beforeEach(() => {
    jest.useFakeTimers();
    recorded = [];
    const trail = {
      record: async (entry: AuditEntry) => {
        recorded.push(entry);
      },
    };
    attempts = new AnonymousAttempts(trail as unknown as AuditTrail);
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  function attempt(action: string, ip: string): Promise<void> {
    return attempts.record({
      resource: 'sys/cron/schedule',
      action,
      outcome: 'denied',
      code: 1000,
      request: { ip },
      elapsedMs: 1,
    });
  }

  function summary(): string[] {
    return recorded.map((entry) => `${entry.action} ${entry.attempts ?? 1} ${entry.request?.ip ?? ''}`);
  }

  it('records the first at once, and those of a minute together', async () => {
    await attempt('pause', '1');
    for (const ip of ['2', '3', '4']) {
      await attempt('pause', ip);
    }
    await attempt('delete', '5');
    expect(summary()).toEqual(['pause 1 1', 'delete 1 5']);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(summary()).toEqual(['pause 1 1', 'delete 1 5', 'pause 3 4']);
  });

  it('records at most once a minute for as long as the flood lasts, and loses none', async () => {
    for (let second = 0; second < 600; second += 1) {
      await attempt('pause', '1');
      await jest.advanceTimersByTimeAsync(1_000);
    }
    await attempts.beforeApplicationShutdown();
    expect(recorded.length).toBeLessThanOrEqual(11);
    expect(recorded.reduce((sum, entry) => sum + (entry.attempts ?? 1), 0)).toBe(600);
  });

  it('starts over after a quiet minute', async () => {
    await attempt('pause', '1');
    await jest.advanceTimersByTimeAsync(60_000);
    await attempt('pause', '2');
    expect(summary()).toEqual(['pause 1 1', 'pause 1 2']);
    expect(jest.getTimerCount()).toBe(1);
  });

  it('records what is counted at shutdown, and what comes later at once', async () => {
    await attempt('pause', '1');
    await attempt('pause', '2');
    await attempts.beforeApplicationShutdown();
    await attempt('pause', '3');
    await attempt('pause', '4');
    expect(summary()).toEqual(['pause 1 1', 'pause 1 2', 'pause 1 3', 'pause 1 4']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
