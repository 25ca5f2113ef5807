import type { Attributes } from '@opentelemetry/api';
import type { Run, RunReason, RunStatus } from '../schedules/index.js';

/** The name under which the package is known to OpenTelemetry. */
export const INSTRUMENTATION_SCOPE = 'nestjs-cron-store';

/**
 * Names of attributes. OpenTelemetry has no conventions for schedules, so that these are our own, but for `error.type`.
 * None holds what a payload or an error says: names of jobs and schedules, identities, and words of fixed vocabularies.
 */
export const ATTRIBUTE = {
  store: 'cron_store.name',
  schema: 'cron_store.schema',
  jobName: 'cron_store.job.name',
  scheduleId: 'cron_store.schedule.id',
  scheduleName: 'cron_store.schedule.name',
  runId: 'cron_store.run.id',
  runOrigin: 'cron_store.run.origin',
  runAttempt: 'cron_store.run.attempt',
  runStatus: 'cron_store.run.status',
  runReason: 'cron_store.run.reason',
  scheduledAt: 'cron_store.run.scheduled_at',
  nodeId: 'cron_store.node.id',
  slotState: 'cron_store.slot.state',
  errorType: 'error.type',
} as const;

/** How a run ended, in words. */
export interface RunEnd {
  readonly status: RunStatus;
  readonly reason?: RunReason;
}

/** The attributes of how a run ended. */
export function endAttributes({ status, reason }: RunEnd): Attributes {
  return {
    [ATTRIBUTE.runStatus]: status,
    ...(reason === undefined ? {} : { [ATTRIBUTE.runReason]: reason }),
  };
}

/** Where a run is executed. */
export interface RunSource {
  readonly store: string;
  readonly nodeId: string;
}

/** A store, as its measures name it. */
export interface MeasuredStore {
  /** Its name. */
  readonly store: string;
  /** Several nodes and processes may call it differently, but the schema is one. */
  readonly schema: string;
}

/** The attributes that tell the stores of one process apart. */
export function storeAttributes({ store, schema }: MeasuredStore): Attributes {
  return { [ATTRIBUTE.store]: store, [ATTRIBUTE.schema]: schema };
}

/** The attributes that identify one run, for spans: as measures they would be a series for each. */
export function identityAttributes(run: Run, { store, nodeId }: RunSource): Attributes {
  return {
    [ATTRIBUTE.store]: store,
    [ATTRIBUTE.jobName]: run.jobName,
    [ATTRIBUTE.scheduleId]: run.scheduleId,
    [ATTRIBUTE.scheduleName]: run.scheduleName,
    [ATTRIBUTE.runId]: run.id,
    [ATTRIBUTE.runOrigin]: run.origin,
    [ATTRIBUTE.runAttempt]: run.attempt,
    [ATTRIBUTE.scheduledAt]: new Date(run.scheduledAtUnixMs).toISOString(),
    [ATTRIBUTE.nodeId]: nodeId,
  };
}
