import { SCHEDULE_RESOURCE } from '../../manager/index.js';
import { permission } from '../access/requirement.js';
import { holdShape, holdTargetShape } from '../input/hold.shapes.js';
import { holdSchema, releaseSchema } from './answers.js';
import { operation, type Operation } from './operation.js';

/** About every schedule of a job, or of the store, those to come included: there is no target to name. */
const manage = {
  resource: SCHEDULE_RESOURCE,
  requires: permission('cron.schedule.manage'),
  mutates: true,
} as const;

/** Everything that can be done with holds. */
export const HOLD_OPERATIONS: readonly Operation[] = [
  operation({
    ...manage,
    action: 'hold',
    params: holdShape,
    handle: ({ holds }, params, origin) => holds.hold(params, origin),
    documentation: {
      summary:
        'Holds back every fire of a job, or of the whole store, beside all pauses; holding again replaces note and end.',
      data: holdSchema,
      errors: [2704, 2706],
      examples: [
        {
          summary: 'The whole store, for maintenance',
          params: { note: 'Maintenance window.', untilUnixMs: 4_102_444_800_000 },
          code: 0,
        },
        { summary: 'A job, until it is released', params: { jobName: 'daily-report' }, code: 0 },
        { summary: 'A job that nobody knows', params: { jobName: 'nothing' }, code: 2704 },
        { summary: 'An end in the past', params: { untilUnixMs: 0 }, code: 2706 },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'release',
    params: holdTargetShape,
    handle: ({ holds }, params, origin) => holds.release(params, origin),
    documentation: {
      summary: 'Ends a hold; what became due meanwhile is for the misfire policies.',
      data: releaseSchema,
      errors: [2706],
      examples: [
        { summary: 'The whole store', code: 0 },
        { summary: 'A job', params: { jobName: 'daily-report' }, code: 0 },
      ],
    },
  }),
  operation({
    resource: SCHEDULE_RESOURCE,
    requires: permission('cron.schedule.query'),
    mutates: false,
    action: 'find_holds',
    params: {},
    handle: ({ holds }) => holds.findAll(),
    documentation: {
      summary: 'Lists what is held.',
      data: { type: 'array', items: holdSchema },
      errors: [],
      examples: [{ summary: 'All of them', code: 0 }],
    },
  }),
];
