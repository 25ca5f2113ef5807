import type { Access } from '../api/answers.js';
import { call } from '../api/client.js';
import { usePolled } from './use-polled.js';

const INTERVAL_MS = 60_000;

/** What is permitted with one schedule, which may be more than with all of them. */
export function useScheduleAccess(scheduleName: string): {
  readonly access: Access | undefined;
  readonly error: Error | undefined;
} {
  const { data, error } = usePolled(
    `access|${scheduleName}`,
    (signal) => call<Access>('access/get', { scheduleName }, { signal }),
    INTERVAL_MS,
  );
  return { access: data, error };
}
