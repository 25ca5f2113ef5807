import type { Run, RunStatus } from '../../../../lib/index.js';
import { untilTrue } from '../../../support/database.js';
import type { StoreApp } from '../../../support/store-app.js';

/** A trigger that is never due while a test lasts: such schedules fire by request only. */
export const NEVER = { kind: 'cron', expr: '0 0 1 1 *' } as const;

/** The runs of a schedule, the oldest claim first. */
export async function runsOf(
  node: StoreApp,
  scheduleName: string,
  ...statuses: readonly RunStatus[]
): Promise<Run[]> {
  const runs = await node.manager.listRuns({
    scheduleName,
    limit: 1_000,
    ...(statuses.length === 0 ? {} : { statuses }),
  });
  return runs.toReversed();
}

/** Waits until so many runs of a schedule are over. */
export async function untilOver(node: StoreApp, scheduleName: string, count = 1): Promise<Run[]> {
  await untilTrue(`${count} runs of ${scheduleName} are over`, async () => {
    const runs = await runsOf(node, scheduleName);
    return runs.filter((run) => run.status !== 'running').length >= count;
  });
  return runsOf(node, scheduleName);
}

/** Fires a schedule by request, and waits until that fire is over. */
export async function fire(node: StoreApp, scheduleName: string): Promise<Run> {
  const { requestId } = await node.manager.triggerNow(scheduleName);
  return untilFireIsOver(node, scheduleName, requestId);
}

/** Waits until a requested fire is over. */
export async function untilFireIsOver(node: StoreApp, scheduleName: string, requestId: string): Promise<Run> {
  const over: Run[] = [];
  await untilTrue(`the requested fire of ${scheduleName} is over`, async () => {
    const runs = await runsOf(node, scheduleName);
    over.push(...runs.filter((run) => run.idempotencyKey === requestId && run.status !== 'running'));
    return over.length > 0;
  });
  const [run] = over;
  if (run === undefined) {
    throw new Error('It was there a moment ago.');
  }
  return run;
}

/** What matters of a run where many are compared. */
export function summary({ status, scheduledAtUnixMs, missedCount }: Run): string {
  const at = new Date(scheduledAtUnixMs).toISOString();
  return missedCount === 0 ? `${status} ${at}` : `${status} ${at} (${missedCount})`;
}
