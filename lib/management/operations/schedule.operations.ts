import { SCHEDULE_RESOURCE } from '../../manager/index.js';
import { SCHEDULE_SORT_FIELDS } from '../../storage/index.js';
import { permission } from '../access/requirement.js';
import {
  createScheduleShape,
  deleteScheduleShape,
  patchScheduleShape,
  pauseScheduleShape,
  previewFiresShape,
  scheduleNameShape,
  scheduleSearchShape,
  triggerNowShape,
  updateScheduleShape,
} from '../input/schedule.shapes.js';
import {
  firesPreviewSchema,
  jobNamesSchema,
  listedScheduleSchema,
  manualFireSchema,
  nothingSchema,
  pageSchema,
  scheduleDetailSchema,
  scheduleSchema,
} from './answers.js';
import { EXAMPLE_SCHEDULE } from './example.js';
import { operation, pagedOperation, type Operation } from './operation.js';

const query = {
  resource: SCHEDULE_RESOURCE,
  requires: permission('cron.schedule.query'),
  mutates: false,
} as const;

const manage = {
  resource: SCHEDULE_RESOURCE,
  requires: permission('cron.schedule.manage'),
  mutates: true,
  targetOf: ({ schedules }, params) => schedules.targetOf(params),
} satisfies Partial<Operation>;

const JOB = 'daily-report';

const CRON = { kind: 'cron', expr: '0 2 * * *', timezone: 'Asia/Shanghai' };

/** Everything that can be done with schedules. */
export const SCHEDULE_OPERATIONS: readonly Operation[] = [
  pagedOperation({
    ...query,
    action: 'find_page',
    params: scheduleSearchShape,
    sortFields: SCHEDULE_SORT_FIELDS,
    handle: ({ schedules }, params, page) => schedules.findPage(params, page),
    documentation: {
      summary: 'Finds schedules page by page, by name.',
      data: pageSchema(listedScheduleSchema),
      errors: [2706],
      examples: [
        { summary: 'The first page', code: 0 },
        {
          summary: 'Enabled cron schedules whose name contains a text, the next to fire first',
          params: { name: 'report', kind: 'cron', isEnabled: true },
          meta: { page: 1, size: 50, sort: { field: 'nextFireAtUnixMs', direction: 'asc' } },
          code: 0,
        },
        { summary: 'Those whose job no live node registers', params: { orphaned: true }, code: 0 },
        { summary: 'Those that are late', params: { late: true }, code: 0 },
        { summary: 'A page beyond the last', meta: { page: 1_000_000 }, code: 2706 },
      ],
    },
  }),
  operation({
    ...query,
    action: 'get',
    params: scheduleNameShape,
    targetOf: ({ schedules }, params) => schedules.targetOf(params),
    handle: ({ schedules }, params) => schedules.get(params),
    documentation: {
      summary: 'Reads a schedule and its next five fires.',
      data: scheduleDetailSchema,
      errors: [2700],
      examples: [
        { summary: 'A schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 },
        { summary: 'A schedule that there is not', params: { name: 'nobody knows' }, code: 2700 },
      ],
    },
  }),
  operation({
    ...query,
    action: 'list_jobs',
    params: {},
    handle: ({ schedules }) => schedules.listJobs(),
    documentation: {
      summary:
        'Lists the jobs that the node that answers, or any live node, registers: those a schedule can have.',
      data: jobNamesSchema,
      errors: [],
      examples: [{ summary: 'All of them', code: 0 }],
    },
  }),
  operation({
    ...query,
    action: 'preview_fires',
    params: previewFiresShape,
    handle: ({ schedules }, params) => schedules.previewFires(params),
    documentation: {
      summary: 'Shows the next five fires of a trigger that is not saved, or refuses it as a save would.',
      data: firesPreviewSchema,
      errors: [2703, 2706],
      examples: [
        { summary: 'A cron expression', params: { trigger: CRON }, code: 0 },
        {
          summary: 'A rate within a window',
          params: { trigger: { kind: 'interval', everyMs: 90_000 }, startsAtUnixMs: 1_800_000_000_000 },
          code: 0,
        },
        {
          summary: 'An invalid expression',
          params: { trigger: { kind: 'cron', expr: '61 * * * *' } },
          code: 2703,
        },
      ],
    },
  }),
  operation({
    ...manage,
    targetOf: ({ schedules }, params) => schedules.targetOfNew(params),
    action: 'create',
    params: createScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.create(params, origin),
    documentation: {
      summary: 'Creates a schedule.',
      data: scheduleSchema,
      errors: [2701, 2703, 2704, 2706],
      examples: [
        {
          summary: 'A cron schedule',
          params: { name: 'morning-report', jobName: JOB, trigger: CRON },
          code: 0,
        },
        {
          summary: 'Every option',
          params: {
            name: 'careful-report',
            jobName: JOB,
            trigger: { kind: 'interval', everyMs: 3_600_000 },
            params: { region: 'eu' },
            startsAtUnixMs: 1_800_000_000_000,
            endsAtUnixMs: 4_102_444_800_000,
            misfirePolicy: 'backfill',
            backfillLimit: 24,
            concurrencyPolicy: 'queue',
            recover: true,
            retry: { maxAttempts: 3, backoffMs: 5_000, factor: 2, maxBackoffMs: 60_000 },
            timeoutMs: 600_000,
            enabled: false,
          },
          code: 0,
        },
        {
          summary: 'A job that no handler is registered for',
          params: { name: 'idle', jobName: 'nothing', trigger: CRON },
          code: 2704,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'update',
    params: updateScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.update(params, origin),
    documentation: {
      summary: 'Replaces the whole definition of a schedule: what is omitted takes its default.',
      data: scheduleSchema,
      errors: [2700, 2701, 2703, 2704, 2706, 2707],
      examples: [
        {
          summary: 'Another trigger, and everything else by default',
          params: { name: EXAMPLE_SCHEDULE, jobName: JOB, trigger: { kind: 'interval', everyMs: 3_600_000 } },
          code: 0,
        },
        {
          summary: 'A lost update',
          params: { name: EXAMPLE_SCHEDULE, jobName: JOB, trigger: CRON, expectedVersion: 1_000 },
          code: 2707,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'patch',
    params: patchScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.patch(params, origin),
    documentation: {
      summary: 'Changes some of a schedule: what is omitted stays.',
      data: scheduleSchema,
      errors: [2700, 2701, 2703, 2704, 2706, 2707],
      examples: [
        {
          summary: 'A new name and a bound removed',
          params: { name: EXAMPLE_SCHEDULE, newName: 'nightly-report-eu', endsAtUnixMs: null },
          code: 0,
        },
        {
          summary: 'A field of another kind of trigger',
          params: { name: EXAMPLE_SCHEDULE, trigger: { ...CRON, everyMs: 0 } },
          code: 2703,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'delete',
    params: deleteScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.delete(params, origin),
    documentation: {
      summary: 'Deletes a schedule; its runs stay in the journal.',
      data: nothingSchema,
      errors: [2700, 2707],
      examples: [
        { summary: 'A schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 },
        {
          summary: 'A schedule that was changed meanwhile',
          params: { name: EXAMPLE_SCHEDULE, expectedVersion: 1_000 },
          code: 2707,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'pause',
    params: pauseScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.pause(params, origin),
    documentation: {
      summary: 'Stops a schedule from firing; running runs go on.',
      data: nothingSchema,
      errors: [2700, 2706],
      examples: [
        { summary: 'Until it is resumed', params: { name: EXAMPLE_SCHEDULE }, code: 0 },
        {
          summary: 'With a reason and an end',
          params: { name: EXAMPLE_SCHEDULE, note: 'The warehouse moves.', untilUnixMs: 4_102_444_800_000 },
          code: 0,
        },
      ],
    },
  }),
  operation({
    ...manage,
    action: 'resume',
    params: scheduleNameShape,
    handle: ({ schedules }, params, origin) => schedules.resume(params, origin),
    documentation: {
      summary: 'Lets a schedule fire again; what became due meanwhile is for its misfire policy.',
      data: nothingSchema,
      errors: [2700, 2703],
      examples: [{ summary: 'A schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 }],
    },
  }),
  operation({
    ...manage,
    action: 'trigger_now',
    params: triggerNowShape,
    handle: ({ schedules }, params, origin) => schedules.triggerNow(params, origin),
    documentation: {
      summary: 'Fires a schedule once more, now.',
      data: manualFireSchema,
      errors: [2700, 2702, 2706],
      examples: [
        { summary: 'A schedule', params: { name: EXAMPLE_SCHEDULE }, code: 0 },
        {
          summary: 'At most once, with params of its own',
          params: { name: EXAMPLE_SCHEDULE, idempotencyKey: 'ticket-4711', params: { region: 'us' } },
          code: 0,
        },
      ],
    },
  }),
];
