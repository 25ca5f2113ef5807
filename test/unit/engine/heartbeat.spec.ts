import { Logger } from '@nestjs/common';
import { Heartbeat } from '../../../lib/engine/heartbeat/heartbeat.js';
import { RunSlots } from '../../../lib/engine/claiming/run-slots.js';
import { StoreTime } from '../../../lib/engine/timing/store-time.js';
import { Vigil } from '../../../lib/engine/upkeep/vigil.js';
import type { Storage } from '../../../lib/storage/index.js';
import { untilTrue } from '../../support/database.js';

const HEARTBEAT_MS = 1_000;
const ABANDONED_AFTER_MS = 3_000;

/** Heartbeats at these times of the store's, one after the other; those without a time fail. Nothing changes after them. */
async function vigilAfter(...beats: readonly (number | undefined)[]): Promise<Vigil> {
  const vigil = new Vigil(HEARTBEAT_MS, ABANDONED_AFTER_MS);
  let count = 0;
  const heartbeats = {
    async beat() {
      const nowUnixMs = beats[Math.min(count, beats.length - 1)];
      count += 1;
      if (nowUnixMs === undefined) {
        throw new Error('The database is away.');
      }
      return { nowUnixMs, aliveIds: new Set<string>(), cancelReasons: new Map() };
    },
  };
  const heartbeat = new Heartbeat({
    storage: { heartbeats } as unknown as Storage,
    node: { id: 'node', host: 'host', pid: 1, jobNames: [], slots: 1, version: '0' },
    slots: new RunSlots(1),
    endedRuns: () => [],
    vigil,
    storeTime: new StoreTime(),
    intervalMs: 1,
    thread: undefined,
  });
  heartbeat.start();
  await untilTrue('all of them have been heard', () => count > beats.length);
  await heartbeat.stop();
  return vigil;
}

describe('a heartbeat', () => {
  beforeAll(() => {
    Logger.overrideLogger(false);
  });

  afterAll(() => {
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  it('keeps the vigil', async () => {
    expect((await vigilAfter(0, 1_000, 2_000, 3_000, 4_000)).isComplete(4_000)).toBe(true);
  });

  it('has the vigil begin anew by one failure, however soon the next succeeds', async () => {
    expect((await vigilAfter(0, 1_000, 2_000, 3_000, undefined, 4_000)).isComplete(4_000)).toBe(false);
  });
});
