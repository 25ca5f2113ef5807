import type { ClaimedRun } from '../../../lib/storage/index.js';

/** A run as a claim hands it over. */
export function claimedRun(id = '01890000-0000-7000-8000-000000000001'): ClaimedRun {
  return {
    run: {
      id,
      scheduleId: '01890000-0000-7000-8000-00000000000a',
      scheduleName: 'nightly',
      jobName: 'report',
      origin: 'schedule',
      scheduledAtUnixMs: 1_000,
      claimedAtUnixMs: 1_500,
      status: 'running',
      nodeId: 'node',
      heartbeatAtUnixMs: 1_500,
      missedCount: 0,
      attempt: 1,
      recoveries: 0,
      idempotencyKey: 'key',
      createdAtUnixMs: 1_500,
      createdBy: 'system',
    },
    params: undefined,
    timeoutMs: 0,
    retry: undefined,
    fence: 1,
  };
}
