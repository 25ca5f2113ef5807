import { setTimeout as delay } from 'node:timers/promises';
import type { EngineStatus } from '../../../lib/index.js';
import { NodeGoneError } from './node-process.js';
import type { SoakDatabase } from './soak-database.js';
import type { SoakNode } from './soak-node.js';

/** How long what is left may take: many processes may share few processors. */
const PATIENCE_MS = 600_000;
const PROBE_PAUSE_MS = 200;

/** What is under way, or due and not claimed, of before an instant. */
const LEFT = `
  select 'the run ' || id || ' of ' || schedule_name as what from crn_run
  where status = 'running' and claimed_at_unix_ms < $1
  union all
  select 'a ' || q.origin || ' request of ' || s.name from crn_fire_request q join crn_schedule s on s.id = q.schedule_id
  where q.created_at_unix_ms < $1
  union all
  select 'the occurrence ' || next_fire_at_unix_ms || ' of ' || name from crn_schedule
  where is_enabled and next_fire_at_unix_ms < $1
  union all
  select 'a backfill of ' || s.name from crn_backfill b join crn_schedule s on s.id = b.schedule_id
  where b.status = 'running'`;

/**
 * Waits until everything from before now has become what it was to become.
 *
 * @returns now, in the store's time.
 * @throws Error that names what is left.
 */
export async function untilSettled(
  database: SoakDatabase,
  nodes: readonly Pick<SoakNode, 'ask'>[],
): Promise<number> {
  const nowUnixMs = await database.now();
  const deadline = AbortSignal.timeout(PATIENCE_MS);
  for (;;) {
    const left = await database.query<{ what: string }>(LEFT, [nowUnixMs]);
    const statuses = await Promise.all(nodes.map((node) => statusOf(node)));
    const isIdle = statuses.every((status) => status?.state === 'running' && status.detached === 0);
    if (left.length === 0 && isIdle) {
      return nowUnixMs;
    }
    if (deadline.aborted) {
      const whats = left.map(({ what }) => what).join(', ');
      throw new Error(
        `After ${PATIENCE_MS} ms without faults there is still: ${whats || 'nothing'}; the nodes are ${JSON.stringify(statuses)}.`,
      );
    }
    await delay(PROBE_PAUSE_MS);
  }
}

/** A handler that was invoked before may still kill its process; then the next one answers. */
async function statusOf(node: Pick<SoakNode, 'ask'>): Promise<EngineStatus | undefined> {
  try {
    return await node.ask('status');
  } catch (error) {
    if (error instanceof NodeGoneError) {
      return undefined;
    }
    throw error;
  }
}
