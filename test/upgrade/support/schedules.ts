import { cron, every, once, type ScheduleSpec } from '../../../lib/index.js';
import type { JobParams } from '../../soak/node/protocol.js';
import { OWNED } from './fleet.js';
import type { FleetNode } from './fleet-node.js';

/** What is killed with its node, and is to be fired again. */
export const RECOVERED = 'recovered';

/** Has runs that fail and are tried again. */
export const RETRIED = 'retried';

/** Schedules that no operator touches, each for something that both versions must do alike. */
const STEADY: readonly ScheduleSpec[] = [
  {
    name: 'every second',
    jobName: 'quick',
    trigger: cron('* * * * * *', 'Europe/Berlin'),
    params: { ms: 0 } satisfies JobParams,
  },
  {
    name: 'at a fixed rate',
    jobName: 'slow',
    trigger: every(1_000),
    params: { ms: 100 } satisfies JobParams,
    misfirePolicy: 'backfill',
    concurrencyPolicy: 'queue',
  },
  {
    name: 'with its effect',
    jobName: 'transactional',
    trigger: every(1_000),
    params: { ms: 50 } satisfies JobParams,
    retry: { maxAttempts: 20, backoffMs: 100, factor: 1 },
  },
  {
    name: RETRIED,
    jobName: 'failing',
    trigger: cron('@every 1s'),
    params: { ms: 0 } satisfies JobParams,
    retry: { maxAttempts: 20, backoffMs: 100, factor: 1 },
  },
  {
    name: RECOVERED,
    jobName: 'slow',
    trigger: every(2_000),
    params: { ms: 5_000 } satisfies JobParams,
    concurrencyPolicy: 'allow',
    recover: true,
  },
];

/** Names of the schedules that fire all the time. */
export const STEADY_NAMES: readonly string[] = [...STEADY.map(({ name }) => name ?? ''), OWNED.name];

/** Creates the schedules that fire all the time. */
export async function createSteady(node: FleetNode): Promise<void> {
  for (const spec of STEADY) {
    await node.ask('create', spec, { actor: 'operator of the steady ones' });
  }
}

/** Creates a schedule that fires once in a moment, and asks for an extra fire of it. */
export async function createOnce(node: FleetNode, name: string, nowUnixMs: number): Promise<void> {
  const actor = 'operator of single fires';
  const spec: ScheduleSpec = {
    name,
    jobName: 'quick',
    // In a moment, but not before it is created, also where processors are few.
    trigger: once(nowUnixMs + 3_000),
    params: { ms: 0 } satisfies JobParams,
    // Either of the two may be first, and neither is to skip the other.
    concurrencyPolicy: 'allow',
  };
  await node.ask('create', spec, { actor });
  await node.ask('triggerNow', name, { actor, idempotencyKey: 'an extra fire' });
}
