import { MAX_FIRES_PER_SCHEDULE } from '../../manager/index.js';
import {
  AUDIT_OUTCOMES,
  BACKFILL_STATUSES,
  CONCURRENCY_POLICIES,
  MISFIRE_POLICIES,
  RUN_ORIGINS,
  RUN_REASONS,
  RUN_STATUSES,
  SCHEDULE_STATES,
} from '../../schedules/index.js';
import { MAX_PAGED_ROWS } from '../../storage/index.js';
import { DST_GAPS, TRIGGER_KINDS } from '../../triggers/index.js';
import type { JsonSchema } from '../input/json-schema.js';

const instant: JsonSchema = { type: 'integer', format: 'int64', description: 'Unix milliseconds.' };
const text: JsonSchema = { type: 'string' };
const count: JsonSchema = { type: 'integer', format: 'int64' };
const json: JsonSchema = { nullable: true, description: 'Any JSON.' };

const instants: JsonSchema = { type: 'array', items: instant };

/** A schedule as it is stored. What does not apply to it is absent. */
export const scheduleSchema = objectOf(
  {
    id: { type: 'string', format: 'uuid' },
    name: text,
    jobName: text,
    kind: { type: 'string', enum: [...TRIGGER_KINDS] },
    misfirePolicy: { type: 'string', enum: [...MISFIRE_POLICIES] },
    concurrencyPolicy: { type: 'string', enum: [...CONCURRENCY_POLICIES] },
    recover: { type: 'boolean' },
    timeoutMs: { ...count, description: '0 inherits the default.' },
    isEnabled: { type: 'boolean' },
    state: { type: 'string', enum: [...SCHEDULE_STATES] },
    anchorAtUnixMs: instant,
    version: { type: 'integer', description: 'Grows by one with every change.' },
    createdAtUnixMs: instant,
    createdBy: text,
    updatedAtUnixMs: instant,
    updatedBy: text,
  },
  {
    expr: text,
    timezone: text,
    dstGap: { type: 'string', enum: [...DST_GAPS] },
    everyMs: count,
    fireAtUnixMs: instant,
    startsAtUnixMs: instant,
    endsAtUnixMs: instant,
    params: json,
    backfillLimit: count,
    retry: objectOf({
      maxAttempts: count,
      backoffMs: count,
      factor: { type: 'number' },
      maxBackoffMs: count,
    }),
    nextFireAtUnixMs: instant,
    lastFireAtUnixMs: instant,
    parkedReason: text,
    pausedAtUnixMs: instant,
    pausedBy: text,
    pauseNote: text,
    pausedUntilUnixMs: instant,
  },
);

/** A schedule as it is read. */
export const listedScheduleSchema = extended(scheduleSchema, {
  isOrphaned: { type: 'boolean', description: 'Whether no live node registers its job.' },
  isHeld: { type: 'boolean', description: 'Whether its job, or the whole store, is held.' },
});

/** A schedule and its next fires. */
export const scheduleDetailSchema = objectOf({
  schedule: listedScheduleSchema,
  nextFiresUnixMs: instants,
  nextFiresIfResumedUnixMs: { ...instants, description: 'Of a paused schedule, were it resumed now.' },
});

/** Upcoming fires. */
export const firesPreviewSchema = objectOf({ nextFiresUnixMs: instants });

/** An accepted manual fire. */
export const manualFireSchema = objectOf({
  requestId: { type: 'string', format: 'uuid' },
  replayed: { type: 'boolean', description: 'Whether it was asked for before under the same key.' },
});

/** What a backfill would do. */
export const backfillPreviewSchema = objectOf({ totalCount: count });

/** A past range that fires again. What does not apply to it is absent. */
export const backfillSchema = objectOf(
  {
    id: { type: 'string', format: 'uuid' },
    scheduleId: { type: 'string', format: 'uuid' },
    fromUnixMs: instant,
    toUnixMs: instant,
    totalCount: count,
    firedCount: count,
    status: { type: 'string', enum: [...BACKFILL_STATUSES] },
    createdAtUnixMs: instant,
    createdBy: text,
  },
  { nextUnixMs: instant, endedAtUnixMs: instant },
);

/** What is held: a job, or without one the whole store. */
export const holdSchema = objectOf(
  { heldAtUnixMs: instant, heldBy: text },
  { jobName: text, note: text, untilUnixMs: instant },
);

/** What became of a release. */
export const releaseSchema = objectOf({
  wasHeld: { type: 'boolean', description: 'False where there was nothing to release.' },
});

/** A node. */
export const nodeSchema = objectOf({
  id: text,
  host: text,
  pid: { type: 'integer' },
  version: { ...text, description: 'Of this package.' },
  jobNames: { type: 'array', items: text },
  slots: count,
  busySlots: count,
  startedAtUnixMs: instant,
  heartbeatAtUnixMs: instant,
  isAlive: { type: 'boolean' },
});

/** Job names. */
export const jobNamesSchema: JsonSchema = { type: 'array', items: text };

/** Nothing. */
export const nothingSchema: JsonSchema = { nullable: true, description: '`null`.' };

/** What became of a wish to cancel. */
export const cancelSchema = objectOf({
  requestedCount: {
    ...count,
    description: 'How many running runs were asked to end; those asked before, or over, do not count.',
  },
});

/** A run of the journal without its error. What does not apply to it is absent. */
export const runSummarySchema = objectOf(
  {
    id: { type: 'string', format: 'uuid' },
    scheduleId: { type: 'string', format: 'uuid' },
    scheduleName: text,
    jobName: text,
    origin: { type: 'string', enum: [...RUN_ORIGINS] },
    scheduledAtUnixMs: instant,
    claimedAtUnixMs: instant,
    status: { type: 'string', enum: [...RUN_STATUSES] },
    missedCount: count,
    attempt: { type: 'integer' },
    idempotencyKey: text,
    createdAtUnixMs: instant,
    createdBy: text,
  },
  {
    occurrenceAtUnixMs: instant,
    reason: { type: 'string', enum: [...RUN_REASONS] },
    nodeId: text,
    repeatsRunId: { type: 'string', format: 'uuid' },
    canceledBy: text,
    startedAtUnixMs: instant,
    finishedAtUnixMs: instant,
    durationMs: count,
    heartbeatAtUnixMs: instant,
  },
);

/** A run of the journal. What does not apply to it is absent. */
export const runSchema = extended(
  runSummarySchema,
  {},
  { error: { type: 'string', description: 'Shortened on a page, in full in find_one.' } },
);

/** A step through the history of runs. */
export const runHistorySchema = objectOf(
  { items: { type: 'array', items: runSummarySchema } },
  {
    nextCursor: {
      ...text,
      description: 'Where to go on, also where there are fewer items than asked for; absent at the end.',
    },
  },
);

/** How many runs there were over time. */
export const runCountsSchema = objectOf({
  intervals: {
    type: 'array',
    items: objectOf({
      fromUnixMs: instant,
      toUnixMs: instant,
      counts: objectOf({}, Object.fromEntries(RUN_STATUSES.map((status) => [status, count]))),
    }),
  },
  isExact: { type: 'boolean', description: 'False where there were more: the oldest are not counted.' },
});

/** The newest runs of schedules. */
export const latestRunsSchema: JsonSchema = {
  type: 'array',
  items: objectOf({
    scheduleId: { type: 'string', format: 'uuid' },
    runs: { type: 'array', items: runSummarySchema },
  }),
};

/** What fires next. */
export const upcomingFiresSchema = objectOf({
  nowUnixMs: { ...instant, description: "The store's time." },
  items: {
    type: 'array',
    items: objectOf(
      {
        scheduleId: { type: 'string', format: 'uuid' },
        scheduleName: text,
        jobName: text,
        firesUnixMs: instants,
        isComplete: {
          type: 'boolean',
          description: `False where it fires more than ${MAX_FIRES_PER_SCHEDULE} times.`,
        },
      },
      {
        heldUntilUnixMs: {
          ...instant,
          description: 'Until when it is held: fires before then are held back. Absent where it is not held.',
        },
      },
    ),
  },
  isComplete: { type: 'boolean', description: 'False where more schedules fire within the time.' },
});

/** A record of the audit trail. What does not apply to it is absent. */
export const auditRecordSchema = objectOf(
  {
    id: { type: 'string', format: 'uuid' },
    atUnixMs: instant,
    resource: text,
    action: text,
    outcome: { type: 'string', enum: [...AUDIT_OUTCOMES] },
    code: { type: 'integer' },
    attempts: { ...count, description: 'How many attempts the record stands for.' },
    elapsedMs: count,
  },
  {
    actorId: text,
    actorName: text,
    target: text,
    requestId: text,
    ip: text,
    userAgent: text,
    params: json,
    before: json,
    after: json,
  },
);

/** Who somebody is, and what they may do. */
export const accessSchema = objectOf({
  actor: objectOf({ id: text }, { name: text }),
  store: objectOf({ name: text }, { environment: text }),
  nowUnixMs: { ...instant, description: "The store's time." },
  permitted: {
    type: 'array',
    items: { ...text, example: 'sys/cron/schedule/pause' },
    description: 'Every action that is permitted, with its resource.',
  },
});

/** A page of items. */
export function pageSchema(items: JsonSchema): JsonSchema {
  return objectOf({
    page: { type: 'integer' },
    size: { type: 'integer' },
    total: { ...count, description: `How many there are in all, at most ${MAX_PAGED_ROWS}.` },
    totalIsExact: { type: 'boolean', description: 'False where there are, or may be, more.' },
    items: { type: 'array', items },
  });
}

/** An object with further fields. */
function extended(
  { properties = {}, required = [] }: JsonSchema,
  moreRequired: Record<string, JsonSchema>,
  moreOptional: Record<string, JsonSchema> = {},
): JsonSchema {
  return {
    type: 'object',
    properties: { ...properties, ...moreRequired, ...moreOptional },
    required: [...required, ...Object.keys(moreRequired)],
  };
}

function objectOf(
  required: Record<string, JsonSchema>,
  optional: Record<string, JsonSchema> = {},
): JsonSchema {
  const names = Object.keys(required);
  return {
    type: 'object',
    properties: { ...required, ...optional },
    ...(names.length === 0 ? {} : { required: names }),
  };
}
