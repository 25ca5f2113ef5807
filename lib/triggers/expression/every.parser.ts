import { DurationError, MAX_DURATION_MS, parseDuration } from '../duration.js';
import { quote } from '../../quote.js';
import { MIN_INTERVAL_MS } from '../trigger.js';
import { TriggerInvalidError } from '../trigger-invalid.error.js';
import type { EveryExpression } from './cron-expression.js';

const EVERY = /^@every(?::(\d+)|\s+(\S+))$/i;

export function isEveryExpression(body: string): boolean {
  return /^@every(?![a-z])/i.test(body);
}

/** Reads `@every 90m` (a duration) and `@every:5400000` (milliseconds). */
export function parseEvery(body: string): EveryExpression {
  const [, milliseconds, duration] = EVERY.exec(body) ?? [];
  if (milliseconds === undefined && duration === undefined) throw malformed(body);
  const everyMs = milliseconds === undefined ? durationOf(body, duration ?? '') : Number(milliseconds);
  if (everyMs < MIN_INTERVAL_MS) {
    throw new TriggerInvalidError(
      'interval_too_short',
      `${quote(body)} is shorter than the shortest interval of ${MIN_INTERVAL_MS} ms: write "@every 1s" or longer.`,
    );
  }
  if (everyMs > MAX_DURATION_MS) throw tooLong(body);
  const text = milliseconds === undefined ? `@every ${duration}` : `@every:${everyMs}`;
  return { kind: 'every', text, everyMs };
}

function durationOf(body: string, duration: string): number {
  try {
    return parseDuration(duration);
  } catch (error) {
    if (!(error instanceof DurationError)) throw error;
    throw error.fault === 'too_long' ? tooLong(body) : malformed(body, error);
  }
}

function tooLong(body: string): TriggerInvalidError {
  return new TriggerInvalidError(
    'interval_too_long',
    `${quote(body)} is longer than the longest interval of ${MAX_DURATION_MS} ms: write a shorter one, or a calendar expression.`,
  );
}

function malformed(body: string, cause?: DurationError): TriggerInvalidError {
  const advice = cause === undefined ? '' : ` (${cause.message})`;
  return new TriggerInvalidError(
    'expr_invalid',
    `${quote(body)} has no duration${advice}: write "@every 90m", "@every 1h30m10s" or, in milliseconds, "@every:30000".`,
    { cause },
  );
}
