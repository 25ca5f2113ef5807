import type { Duration } from '../schedules/index.js';
import { parseDuration } from '../triggers/index.js';

const DAY_MS = 86_400_000;
const WITH_DAYS = /^\s*(\d{1,6})d(.*)$/s;

/**
 * A duration in ms. Days are understood as well, of 24 hours each: tests pass many of them.
 *
 * @throws TypeError
 */
export function testDurationOf(duration: Duration): number {
  const [, days, rest = ''] = (typeof duration === 'string' && WITH_DAYS.exec(duration)) || [];
  try {
    return days === undefined
      ? parseDuration(duration)
      : Number(days) * DAY_MS + (rest.trim() === '' ? 0 : parseDuration(rest));
  } catch (error) {
    throw new TypeError(
      `A duration must be whole milliseconds or a text such as '90s', '36h' or '3d', but is ${JSON.stringify(duration)}.`,
      { cause: error },
    );
  }
}
