import { SCHEDULE_SORT_FIELDS } from '../../storage/index.js';
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
  manualFireSchema,
  nothingSchema,
  pageSchema,
  scheduleDetailSchema,
  scheduleSchema,
} from './answers.js';
import { operation, pagedOperation, type Operation } from './operation.js';

const query = { resource: 'sys/cron/schedule', permission: 'cron.schedule.query', mutates: false } as const;

const manage = {
  resource: 'sys/cron/schedule',
  permission: 'cron.schedule.manage',
  mutates: true,
  targetOf: (services, params) => services.schedules.targetOf(params),
} satisfies Partial<Operation>;

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
      data: pageSchema(scheduleSchema),
      errors: [2706],
    },
  }),
  operation({
    ...query,
    action: 'get',
    params: scheduleNameShape,
    targetOf: (services, params) => services.schedules.targetOf(params),
    handle: ({ schedules }, params) => schedules.get(params),
    documentation: {
      summary: 'Reads a schedule and its next five fires.',
      data: scheduleDetailSchema,
      errors: [2700],
    },
  }),
  operation({
    ...query,
    action: 'list_jobs',
    params: {},
    handle: ({ schedules }) => schedules.listJobs(),
    documentation: {
      summary: 'Lists the job names that are registered on the node that answers.',
      data: jobNamesSchema,
      errors: [],
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
    },
  }),
  operation({
    ...manage,
    action: 'create',
    params: createScheduleShape,
    handle: ({ schedules }, params, origin) => schedules.create(params, origin),
    documentation: {
      summary: 'Creates a schedule.',
      data: scheduleSchema,
      errors: [2701, 2703, 2704, 2706],
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
      errors: [2700, 2703, 2706],
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
    },
  }),
];
