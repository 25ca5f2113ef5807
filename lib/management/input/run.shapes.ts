import { RUN_STATUSES } from '../../schedules/index.js';
import { integer, required, text, type Shape } from './field.js';

const filters = {
  scheduleName: text({ description: 'The name that the schedule has or had.', example: 'nightly-report' }),
  jobName: text({ description: 'The job, exactly.' }),
  status: text({ description: 'The status.', enum: [...RUN_STATUSES] }),
  nodeId: text({ description: 'The executing node, exactly.' }),
  scheduledAtFromUnixMs: integer({ description: 'Earliest logical fire time, inclusive.' }),
  scheduledAtToUnixMs: integer({ description: 'Latest logical fire time, inclusive.' }),
} satisfies Shape;

const id = text({ description: 'The run, by its id.', format: 'uuid' });

/** Which runs to find. */
export const runSearchShape = { id, ...filters } satisfies Shape;

/** Which run to find. */
export const oneRunShape = { id: required(id), ...filters } satisfies Shape;
