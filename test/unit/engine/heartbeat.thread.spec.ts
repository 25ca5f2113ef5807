import { Logger } from '@nestjs/common';
import { Heartbeat } from '../../../lib/engine/heartbeat/heartbeat.js';
import { RunSlots } from '../../../lib/engine/claiming/run-slots.js';
import { StoreTime } from '../../../lib/engine/timing/store-time.js';
import { Vigil } from '../../../lib/engine/upkeep/vigil.js';
import type { Storage } from '../../../lib/storage/index.js';
import { untilTrue } from '../../support/database.js';

describe('a heartbeat with a thread that stands in for it', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  afterAll(() => {
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  it('tells the thread of every heartbeat that the database answered, and of no other; and ends it', async () => {
    const told: string[] = [];
    const answers = [true, false, true];
    const heartbeats = {
      async beat() {
        const isAnswered = answers.shift() ?? false;
        told.push(isAnswered ? 'answered' : 'failed');
        if (!isAnswered) {
          throw new Error('The database is away.');
        }
        return { nowUnixMs: 0, aliveIds: new Set<string>(), cancelReasons: new Map() };
      },
    };
    const heartbeat = new Heartbeat({
      storage: { heartbeats } as unknown as Storage,
      node: { id: 'node', host: 'host', pid: 1, jobNames: [], slots: 1, version: '0' },
      slots: new RunSlots(1),
      endedRuns: () => [],
      vigil: new Vigil(1_000, 3_000),
      storeTime: new StoreTime(),
      intervalMs: 1,
      thread: {
        onBeat: (previous) => told.push(`thread told, after one that ${previous}`),
        stop: async () => {
          told.push('thread ended');
        },
      },
    });
    heartbeat.start();
    await untilTrue('all of them have been heard', () => told.length >= 6);
    await heartbeat.stop();

    expect(told.slice(0, 6)).toEqual([
      'answered',
      'thread told, after one that succeeded',
      'failed',
      'answered',
      'thread told, after one that failed',
      'failed',
    ]);
    expect(told.at(-1)).toBe('thread ended');
  });
});
