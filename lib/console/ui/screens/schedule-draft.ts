import { DurationError, durationText, parseDuration } from '../../../triggers/duration.js';
import type { ListedSchedule, Trigger } from '../api/answers.js';
import { readJson, writeJson } from '../components/json-text.js';
import { inputTextOf, instantOf } from '../components/local-instant.js';
import { triggerOf } from '../components/trigger-text.js';

/** A schedule as it is being written: texts as they are typed. */
export interface Draft {
  readonly name: string;
  readonly jobName: string;
  readonly kind: Trigger['kind'];
  readonly expr: string;
  readonly timezone: string;
  readonly dstGap: 'skip' | 'run_after';
  readonly every: string;
  readonly at: string;
  readonly startsAt: string;
  readonly endsAt: string;
  readonly params: string;
  readonly misfirePolicy: string;
  readonly backfillLimit: string;
  readonly concurrencyPolicy: string;
  readonly recover: boolean;
  readonly maxAttempts: string;
  readonly backoff: string;
  readonly timeout: string;
  readonly enabled: boolean;
}

/** What a text cannot be, in a sentence. */
export class DraftError extends Error {
  constructor(
    readonly field: keyof Draft,
    message: string,
  ) {
    super(message);
    this.name = 'DraftError';
  }
}

export function newDraft(jobName: string, timezone: string): Draft {
  return {
    name: '',
    jobName,
    kind: 'cron',
    expr: '0 9 * * *',
    timezone,
    dstGap: 'skip',
    every: '15m',
    at: '',
    startsAt: '',
    endsAt: '',
    params: '',
    misfirePolicy: 'fire_now',
    backfillLimit: '',
    concurrencyPolicy: 'forbid',
    recover: false,
    maxAttempts: '',
    backoff: '10s',
    timeout: '',
    enabled: true,
  };
}

export function draftOf(schedule: ListedSchedule): Draft {
  const { expr, timezone, everyMs, fireAtUnixMs, retry, timeoutMs, backfillLimit } = schedule;
  const fresh = newDraft(schedule.jobName, timezone ?? 'UTC');
  return {
    ...fresh,
    name: schedule.name,
    kind: schedule.kind,
    expr: expr ?? fresh.expr,
    dstGap: schedule.dstGap ?? 'skip',
    every: everyMs === undefined ? fresh.every : durationText(everyMs),
    at: inputTextOf(fireAtUnixMs),
    startsAt: inputTextOf(schedule.startsAtUnixMs),
    endsAt: inputTextOf(schedule.endsAtUnixMs),
    params: writeJson(schedule.params),
    misfirePolicy: schedule.misfirePolicy,
    backfillLimit: backfillLimit === undefined ? '' : String(backfillLimit),
    concurrencyPolicy: schedule.concurrencyPolicy,
    recover: schedule.recover,
    maxAttempts: retry === undefined ? '' : String(retry.maxAttempts),
    backoff: retry === undefined ? fresh.backoff : durationText(retry.backoffMs),
    timeout: timeoutMs === 0 ? '' : durationText(timeoutMs),
    enabled: schedule.isEnabled,
  };
}

/** When a schedule fires. */
export interface Timing {
  readonly trigger: Trigger;
  readonly startsAtUnixMs: number | undefined;
  readonly endsAtUnixMs: number | undefined;
}

/**
 * When a draft fires. What of it was not touched is what is stored, exactly: a field shows no milliseconds, and not which
 * of two equal local times it means.
 *
 * @throws DraftError for a text that no trigger can be made of; what else is wrong is the server's to say.
 */
export function timingOf(draft: Draft, stored?: ListedSchedule): Timing {
  const trigger = triggerOfDraft(draft);
  const startsAtUnixMs = instantOf(draft.startsAt);
  const endsAtUnixMs = instantOf(draft.endsAt);
  if (stored === undefined) {
    return { trigger, startsAtUnixMs, endsAtUnixMs };
  }
  const before = draftOf(stored);
  return {
    trigger: isSame(trigger, triggerOfDraft(before)) ? triggerOf(stored) : trigger,
    startsAtUnixMs: draft.startsAt === before.startsAt ? stored.startsAtUnixMs : startsAtUnixMs,
    endsAtUnixMs: draft.endsAt === before.endsAt ? stored.endsAtUnixMs : endsAtUnixMs,
  };
}

/**
 * What the API needs to create a schedule.
 *
 * @throws DraftError for what is no number, no duration or no JSON
 */
export function creationOf(draft: Draft): object {
  return { ...definitionOf(draft), name: draft.name, enabled: draft.enabled };
}

/** How a draft is saved: by which action, with which params beside the name and the version. */
export interface Saving {
  readonly action: 'patch' | 'update';
  readonly changes: object;
}

/**
 * How to change a schedule, and no more of it than was touched. A patch cannot take params away, since `null` is a value
 * of theirs: for that the whole definition is given again.
 *
 * @throws DraftError for what is no number, no duration or no JSON
 */
export function savingOf(draft: Draft, stored: ListedSchedule): Saving {
  const wanted = definitionOf(draft, stored);
  const rename = draft.name === stored.name ? {} : { newName: draft.name };
  if (wanted.params === undefined && stored.params !== undefined) {
    return { action: 'update', changes: { ...wanted, ...rename, enabled: stored.isEnabled } };
  }
  const former = new Map<string, unknown>(Object.entries(definitionOf(draftOf(stored), stored)));
  const touched = Object.entries(wanted).filter(([field, value]) => !isSame(value, former.get(field)));
  const changes = touched.map(([field, value]) => [field, value ?? null]);
  return { action: 'patch', changes: { ...Object.fromEntries(changes), ...rename } };
}

/** What is undefined is left out of the JSON that is sent. */
function definitionOf(draft: Draft, stored?: ListedSchedule) {
  const input = readJson(draft.params);
  if (input.kind === 'invalid') {
    throw new DraftError('params', input.message);
  }
  return {
    jobName: draft.jobName,
    ...timingOf(draft, stored),
    params: input.kind === 'value' ? input.value : undefined,
    misfirePolicy: draft.misfirePolicy,
    backfillLimit:
      draft.misfirePolicy === 'backfill' ? wholeNumber('backfillLimit', draft.backfillLimit) : undefined,
    concurrencyPolicy: draft.concurrencyPolicy,
    recover: draft.recover,
    retry: retryOf(draft, stored),
    timeoutMs: draft.timeout.trim() === '' ? 0 : milliseconds('timeout', draft.timeout),
  };
}

function triggerOfDraft(draft: Draft): Trigger {
  switch (draft.kind) {
    case 'cron':
      return {
        kind: 'cron',
        expr: draft.expr,
        ...(draft.timezone === '' ? {} : { timezone: draft.timezone }),
        ...(draft.dstGap === 'skip' ? {} : { dstGap: draft.dstGap }),
      };
    case 'interval':
      return { kind: 'interval', everyMs: milliseconds('every', draft.every) };
    case 'once': {
      const atUnixMs = instantOf(draft.at);
      if (atUnixMs === undefined) {
        throw new DraftError('at', 'Say when it is to fire.');
      }
      return { kind: 'once', atUnixMs };
    }
  }
}

/** The retry of a schedule has more to it than can be edited here, and keeps that. */
function retryOf({ maxAttempts, backoff }: Draft, stored: ListedSchedule | undefined) {
  const attempts = wholeNumber('maxAttempts', maxAttempts);
  return attempts === undefined
    ? undefined
    : { ...stored?.retry, maxAttempts: attempts, backoffMs: milliseconds('backoff', backoff) };
}

function milliseconds(field: keyof Draft, text: string): number {
  const trimmed = text.trim();
  try {
    return parseDuration(trimmed);
  } catch (error) {
    if (error instanceof DurationError) {
      throw new DraftError(field, `Write a duration such as 30s, 15m or 1h30m, not “${trimmed}”.`);
    }
    throw error;
  }
}

function wholeNumber(field: keyof Draft, text: string): number | undefined {
  const trimmed = text.trim();
  if (trimmed === '') {
    return undefined;
  }
  if (!/^\d{1,9}$/.test(trimmed)) {
    throw new DraftError(field, `Write a whole number, not “${trimmed}”.`);
  }
  return Number(trimmed);
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
