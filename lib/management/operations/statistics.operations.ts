import { RUN_RESOURCE, SCHEDULE_RESOURCE } from '../../manager/index.js';
import { permission } from '../access/requirement.js';
import { latestRunsShape, runCountShape, upcomingShape } from '../input/statistics.shapes.js';
import { latestRunsSchema, runCountsSchema, upcomingFiresSchema } from './answers.js';
import { operation, type Operation } from './operation.js';

const ofRuns = { resource: RUN_RESOURCE, requires: permission('cron.run.query'), mutates: false } as const;

const HOUR = 1_893_456_000_000;

/** What sums up schedules and runs, for overviews. */
export const STATISTICS_OPERATIONS: readonly Operation[] = [
  operation({
    ...ofRuns,
    action: 'count_by_time',
    params: runCountShape,
    handle: ({ runStatistics }, params) => runStatistics.count(params),
    documentation: {
      summary:
        'Counts the runs that were claimed between given instants, by status: for charts. The newest 100,000 are counted.',
      data: runCountsSchema,
      errors: [2706],
      examples: [
        {
          summary: 'In two hours',
          params: { boundsUnixMs: [HOUR, HOUR + 3_600_000, HOUR + 7_200_000] },
          code: 0,
        },
        { summary: 'Bounds that do not ascend', params: { boundsUnixMs: [HOUR, HOUR] }, code: 2706 },
      ],
    },
  }),
  operation({
    ...ofRuns,
    action: 'find_latest',
    params: latestRunsShape,
    handle: ({ runStatistics }, params) => runStatistics.findLatest(params),
    documentation: {
      summary: 'Finds the newest runs of each of several schedules, without errors.',
      data: latestRunsSchema,
      errors: [2706],
      examples: [
        {
          summary: 'The last five of a schedule',
          params: { scheduleIds: ['01970f2e-6c00-7000-8000-000000000003'], limit: 5 },
          code: 0,
        },
        { summary: 'No id', params: { scheduleIds: ['nightly-report'] }, code: 2706 },
      ],
    },
  }),
  operation({
    resource: SCHEDULE_RESOURCE,
    requires: permission('cron.schedule.query'),
    mutates: false,
    action: 'find_upcoming',
    params: upcomingShape,
    handle: ({ upcoming }, params) => upcoming.find(params),
    documentation: {
      summary:
        'Looks ahead over all schedules: when each fires within a time, the next first. What is held throughout is left out.',
      data: upcomingFiresSchema,
      errors: [2706],
      examples: [
        { summary: 'Until an instant', params: { untilUnixMs: 1_900_000_000_000, limit: 10 }, code: 0 },
        { summary: 'Of no schedule', params: { untilUnixMs: 1_900_000_000_000, limit: 0 }, code: 2706 },
      ],
    },
  }),
];
