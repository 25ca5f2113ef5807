import type { JobHandlerRegistry } from '../../../lib/jobs/index.js';
import type { PlainJob } from '../../../lib/jobs/registered-job.js';

/** The registered job of a name, which is to be no transactional one. */
export function plainJob(registry: JobHandlerRegistry, name: string): PlainJob {
  const job = registry.get(name);
  if (job?.kind !== 'plain') {
    throw new Error(`${name} is no plain job. Registered are: ${registry.names().join(', ')}`);
  }
  return job;
}
