import { InvalidArgumentError } from 'commander';
import type { JsonValue } from '../schedules/index.js';

/** An instant: ISO 8601, or Unix milliseconds. */
export function instantArgument(text: string): number {
  const unixMs = /^-?\d+$/.test(text) ? Number(text) : Date.parse(text);
  if (Number.isNaN(unixMs)) {
    throw new InvalidArgumentError('Give a time such as 2026-01-15T12:00:00Z, or Unix milliseconds.');
  }
  return unixMs;
}

/** A whole number from 1 on. */
export function countArgument(text: string): number {
  const count = Number(text);
  if (!/^\d+$/.test(text) || !Number.isSafeInteger(count) || count < 1) {
    throw new InvalidArgumentError('Give a whole number of at least 1.');
  }
  return count;
}

/** Any JSON. */
export function jsonArgument(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new InvalidArgumentError('Give valid JSON, such as {"day": "monday"}.');
  }
}
