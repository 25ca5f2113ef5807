import { SCHEDULE_RESOURCE } from '../../manager/index.js';
import { MAX_BACKFILL_OCCURRENCES } from '../../schedules/index.js';
import { permission } from '../access/requirement.js';
import { backfillIdShape, backfillRangeShape } from '../input/backfill.shapes.js';
import { scheduleNameShape } from '../input/schedule.shapes.js';
import { backfillPreviewSchema, backfillSchema } from './answers.js';
import { EXAMPLE_BACKFILL_ID, EXAMPLE_SCHEDULE } from './example.js';
import { operation, type Operation } from './operation.js';

const ofSchedule = {
  resource: SCHEDULE_RESOURCE,
  targetOf: ({ schedules }, params) => schedules.targetOf(params),
} satisfies Partial<Operation>;

const query = { ...ofSchedule, requires: permission('cron.schedule.query'), mutates: false } as const;
const manage = { ...ofSchedule, requires: permission('cron.run.manage'), mutates: true } as const;

const PAST_RANGE = { name: EXAMPLE_SCHEDULE, fromUnixMs: 1_700_000_000_000, toUnixMs: 1_750_000_000_000 };

/** Everything that can be done with past ranges that fire again. */
export const BACKFILL_OPERATIONS: readonly Operation[] = [
  operation({
    ...query,
    action: 'preview_backfill',
    params: backfillRangeShape,
    handle: ({ backfills }, params) => backfills.preview(params),
    documentation: {
      summary: 'Counts the occurrences that a backfill would fire, or refuses it as `backfill` would.',
      data: backfillPreviewSchema,
      errors: [2700, 2703, 2706],
      examples: [{ summary: 'A past range', params: PAST_RANGE, code: 0 }],
    },
  }),
  operation({
    ...manage,
    action: 'backfill',
    params: backfillRangeShape,
    handle: ({ backfills }, params, origin) => backfills.start(params, origin),
    documentation: {
      summary: `Fires the occurrences of a past range again, at most ${MAX_BACKFILL_OCCURRENCES}, the oldest first.`,
      data: backfillSchema,
      errors: [2700, 2702, 2703, 2706],
      examples: [
        { summary: 'A past range', params: PAST_RANGE, code: 0 },
        {
          summary: 'A range that is not past',
          params: { ...PAST_RANGE, toUnixMs: 4_102_444_800_000 },
          code: 2706,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'cancel_backfill',
    params: backfillIdShape,
    handle: ({ backfills }, params, origin) => backfills.cancel(params, origin),
    documentation: {
      summary: 'Ends a running backfill; what it has fired stays fired.',
      data: backfillSchema,
      errors: [2700, 2706],
      examples: [
        {
          summary: 'A running backfill',
          params: { name: EXAMPLE_SCHEDULE, id: EXAMPLE_BACKFILL_ID },
          code: 0,
        },
        {
          summary: 'A backfill that there is not',
          params: { name: EXAMPLE_SCHEDULE, id: 'none' },
          code: 2706,
        },
      ],
    },
  }),
  operation({
    ...query,
    action: 'find_backfills',
    params: scheduleNameShape,
    handle: ({ backfills }, params) => backfills.findAll(params),
    documentation: {
      summary:
        'Lists the backfills of a schedule and how far they have come: the newest 100, the newest first.',
      data: { type: 'array', items: backfillSchema },
      errors: [2700],
      examples: [{ summary: 'Of a schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 }],
    },
  }),
];
