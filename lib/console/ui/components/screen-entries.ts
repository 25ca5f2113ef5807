import { useMay } from '../state/access.js';

/** A screen that can be gone to from everywhere. */
export interface ScreenEntry {
  readonly name: string;
  readonly path: string;
  /** The action that the screen lives by: without it there is nothing to see. */
  readonly action: string;
  /** What that takes, for whoever asks for it. */
  readonly permission: string;
}

export const SCREEN_ENTRIES: readonly [ScreenEntry, ...ScreenEntry[]] = [
  {
    name: 'Overview',
    path: 'overview',
    action: 'schedule/find_page',
    permission: 'cron.schedule.query',
  },
  {
    name: 'Schedules',
    path: 'schedules',
    action: 'schedule/find_page',
    permission: 'cron.schedule.query',
  },
  { name: 'Runs', path: 'runs', action: 'run/find_page', permission: 'cron.run.query' },
  { name: 'Nodes', path: 'nodes', action: 'node/find_page', permission: 'cron.schedule.query' },
  { name: 'Audit', path: 'audit', action: 'audit/find_page', permission: 'cron.audit.query' },
];

/** What is permitted of them. The first is where one starts. */
export function usePermittedEntries(): readonly ScreenEntry[] {
  const may = useMay();
  return SCREEN_ENTRIES.filter(({ action }) => may(action));
}
