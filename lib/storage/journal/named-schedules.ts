import type { Executor } from '../connections/executor.js';
import type { StoreSchema } from '../schema/store-schema.js';

/**
 * The schedules that have or had the name that is searched for, one as a rule; undefined where none is. Asked for before
 * their runs, so that the planner knows how many of those there are: of one schedule few in a large journal, and of
 * another half of it.
 */
export async function schedulesNamed(
  executor: Executor,
  schema: StoreSchema,
  scheduleName: string | undefined,
): Promise<readonly string[] | undefined> {
  if (scheduleName === undefined) {
    return undefined;
  }
  const rows = await executor.query<{ schedule_id: string }>(
    `select n.schedule_id from ${schema.scheduleName} n where n.name = $1`,
    [scheduleName],
  );
  return rows.map((row) => row.schedule_id);
}
