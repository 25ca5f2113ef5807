/** What the console lets somebody do. */
const VIEWER = ['cron.schedule.query', 'cron.run.query'];
const OPERATOR = [...VIEWER, 'cron.schedule.manage', 'cron.run.manage', 'cron.audit.query'];

export interface User {
  readonly id: string;
  readonly name: string;
  readonly permissions: readonly string[];
}

/** Stands for the application's own users. Their passwords are their ids: only this machine reaches the sample. */
export const USERS: readonly User[] = [
  { id: 'otto', name: 'Otto Operator', permissions: OPERATOR },
  { id: 'vera', name: 'Vera Viewer', permissions: VIEWER },
];
