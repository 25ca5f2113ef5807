import { DurationError, parseDuration } from '../../../triggers/duration.js';
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
    every: everyMs === undefined ? fresh.every : durationInput(everyMs),
    at: inputTextOf(fireAtUnixMs),
    startsAt: inputTextOf(schedule.startsAtUnixMs),
    endsAt: inputTextOf(schedule.endsAtUnixMs),
    params: writeJson(schedule.params),
    misfirePolicy: schedule.misfirePolicy,
    backfillLimit: backfillLimit === undefined ? '' : String(backfillLimit),
    concurrencyPolicy: schedule.concurrencyPolicy,
    recover: schedule.recover,
    maxAttempts: retry === undefined ? '' : String(retry.maxAttempts),
    backoff: retry === undefined ? fresh.backoff : durationInput(retry.backoffMs),
    timeout: timeoutMs === 0 ? '' : durationInput(timeoutMs),
    enabled: schedule.isEnabled,
  };
}

/** @throws DraftError for a text that no trigger can be made of; what else is wrong is the server's to say. */
export function triggerOfDraft(draft: Draft): Trigger {
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

/**
 * What the API needs to create a schedule.
 *
 * @throws DraftError for what is no number, no duration or no JSON
 */
export function creationOf(draft: Draft): object {
  const { startsAtUnixMs, endsAtUnixMs, backfillLimit, retry, params, ...others } = definitionOf(draft);
  return {
    ...others,
    name: draft.name,
    enabled: draft.enabled,
    ...given({ startsAtUnixMs, endsAtUnixMs, backfillLimit, retry, params }),
  };
}

/**
 * What the API needs to change a schedule, and no more than that: what is not touched may be changed by others meanwhile.
 *
 * @throws DraftError for what is no number, no duration or no JSON
 */
export function changesOf(draft: Draft, schedule: ListedSchedule): object {
  const before = draftOf(schedule);
  const old = { ...definitionOf(before), trigger: triggerOf(schedule) };
  const wanted = definitionOf(draft);
  // The retry of a schedule has more to it than can be edited here, and keeps that.
  const retry = wanted.retry === undefined ? null : { ...schedule.retry, ...wanted.retry };
  const nullable = {
    startsAtUnixMs: wanted.startsAtUnixMs ?? null,
    endsAtUnixMs: wanted.endsAtUnixMs ?? null,
    backfillLimit: wanted.backfillLimit ?? null,
    params: wanted.params ?? null,
    retry,
  };
  const all: Readonly<Record<string, unknown>> = { ...wanted, ...nullable };
  const former: Readonly<Record<string, unknown>> = {
    ...old,
    startsAtUnixMs: old.startsAtUnixMs ?? null,
    endsAtUnixMs: old.endsAtUnixMs ?? null,
    backfillLimit: old.backfillLimit ?? null,
    params: old.params ?? null,
    retry: schedule.retry ?? null,
  };
  const changed = Object.entries(all).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(former[field]),
  );
  return {
    ...Object.fromEntries(changed),
    ...(draft.name === before.name ? {} : { newName: draft.name }),
  };
}

function definitionOf(draft: Draft) {
  const input = readJson(draft.params);
  if (input.kind === 'invalid') {
    throw new DraftError('params', input.message);
  }
  return {
    jobName: draft.jobName,
    trigger: triggerOfDraft(draft),
    startsAtUnixMs: instantOf(draft.startsAt),
    endsAtUnixMs: instantOf(draft.endsAt),
    params: input.kind === 'value' ? input.value : undefined,
    misfirePolicy: draft.misfirePolicy,
    backfillLimit:
      draft.misfirePolicy === 'backfill' ? wholeNumber('backfillLimit', draft.backfillLimit) : undefined,
    concurrencyPolicy: draft.concurrencyPolicy,
    recover: draft.recover,
    retry: retryOf(draft),
    timeoutMs: draft.timeout.trim() === '' ? 0 : milliseconds('timeout', draft.timeout),
  };
}

function retryOf({ maxAttempts, backoff }: Draft) {
  const attempts = wholeNumber('maxAttempts', maxAttempts);
  return attempts === undefined
    ? undefined
    : { maxAttempts: attempts, backoffMs: milliseconds('backoff', backoff) };
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

const UNITS: readonly (readonly [string, number])[] = [
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
];

/** A duration as it can be typed: `1h30m`. */
function durationInput(ms: number): string {
  let rest = ms;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? '' : `${count}${unit}`;
  });
  return parts.join('') || '0s';
}

function given(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}
