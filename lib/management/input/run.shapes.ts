import { RUN_REASONS, RUN_STATUSES } from '../../schedules/index.js';
import { flag, integer, required, text, type Shape } from './field.js';

const filters = {
  scheduleName: text({ description: 'The name that the schedule has or had.', example: 'nightly-report' }),
  jobName: text({ description: 'The job, exactly.' }),
  status: text({ description: 'The status.', enum: [...RUN_STATUSES] }),
  reason: text({ description: 'Why it ended as it did.', enum: [...RUN_REASONS] }),
  nodeId: text({ description: 'The executing node, exactly.' }),
  scheduledAtFromUnixMs: integer({ description: 'Earliest logical fire time, inclusive.' }),
  scheduledAtToUnixMs: integer({ description: 'Latest logical fire time, inclusive.' }),
} satisfies Shape;

const id = text({ description: 'The run, by its id.', format: 'uuid' });

/** Fewest, most and default items of one step through the history. */
export const HISTORY_LIMIT = { least: 1, most: 100, byDefault: 30 } as const;

/** Which runs to find. */
export const runSearchShape = { id, ...filters } satisfies Shape;

/** Which run to find. */
export const oneRunShape = { id: required(id), ...filters } satisfies Shape;

/** Which runs to walk through, and from where on. */
export const runHistoryShape = {
  ...filters,
  cursor: text({
    description: 'The `nextCursor` of the answer before, with the same filters. Default: the newest run.',
  }),
  limit: integer({
    description: 'Most items of the answer.',
    minimum: HISTORY_LIMIT.least,
    maximum: HISTORY_LIMIT.most,
    default: HISTORY_LIMIT.byDefault,
  }),
} satisfies Shape;

/** Names a run. */
export const runIdShape = { id: required(id) } satisfies Shape;

/** Names a run to repeat. */
export const rerunShape = {
  ...runIdShape,
  evenIfPaused: flag({ description: 'Fire also while the schedule is paused.', default: false }),
} satisfies Shape;
