import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Access } from '../api/answers.js';

/** The access to everything, or, on the page of a schedule, to that. */
export const AccessContext = createContext<Access>({
  actor: { id: '' },
  store: { name: '' },
  nowUnixMs: 0,
  permitted: [],
});

/** Tells whether an action, such as `schedule/pause`, is permitted. */
export function useMay(): (action: string) => boolean {
  const { permitted } = useContext(AccessContext);
  return (action) => permitted.includes(`sys/cron/${action}`);
}
