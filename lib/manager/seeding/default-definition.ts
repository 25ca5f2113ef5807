import { createHash } from 'node:crypto';
import { messageOf } from '../../error-reading.js';
import { JobHandlerInvalidError, type RegisteredJob } from '../../jobs/index.js';
import { defineSchedule, ScheduleInvalidError, type ScheduleDefinition } from '../../schedules/index.js';

/** A default schedule of a job, validated. */
export interface DefaultDefinition {
  readonly definition: ScheduleDefinition;
  readonly onRedeploy: 'keep' | 'update';
  readonly revision: number;
  /** Tells whether the code says something else than before. */
  readonly definitionHash: string;
}

/**
 * Asks a job for its default schedule.
 *
 * @returns undefined when it brings none along.
 * @throws JobHandlerInvalidError, which names the handler, when the answer is invalid: better at boot than at fire time.
 */
export async function defaultDefinitionOf(job: RegisteredJob): Promise<DefaultDefinition | undefined> {
  try {
    const answer = await job.defaultSchedule();
    if (answer === undefined) {
      return undefined;
    }
    const { onRedeploy = 'keep', revision = 0, ...spec } = answer;
    refuseUnknown(onRedeploy, revision);
    const definition = defineSchedule({ ...spec, jobName: job.name }, job.name);
    return { definition, onRedeploy, revision, definitionHash: hashOf(definition) };
  } catch (cause) {
    throw new JobHandlerInvalidError(`The default schedule of ${job.place} is invalid: ${messageOf(cause)}`, {
      cause,
    });
  }
}

function refuseUnknown(onRedeploy: unknown, revision: unknown): void {
  if (onRedeploy !== 'keep' && onRedeploy !== 'update') {
    throw new ScheduleInvalidError('onRedeploy must be keep or update.');
  }
  if (typeof revision !== 'number' || !Number.isInteger(revision) || Math.abs(revision) > 2 ** 31 - 1) {
    throw new ScheduleInvalidError('revision must be a whole number of 32 bits.');
  }
}

/** Members in a fixed order, so that the same definition has the same hash however the code writes it. */
function hashOf(definition: ScheduleDefinition): string {
  const text = JSON.stringify(definition, (_key, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
