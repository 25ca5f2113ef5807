import { instantField, ScheduleInvalidError, type Fields } from '../../schedules/index.js';
import type { Instant } from '../../triggers/index.js';
import { textOption } from './own-options.js';

/** What an operator may say of a pause or a hold. */
export interface SuspensionOptions {
  /** Why, in the operator's words, 1–500 characters. */
  readonly note?: string | undefined;
  /** When it ends by itself. Default: when the schedule is resumed, or the hold released. */
  readonly until?: Instant | undefined;
}

/** The same, checked. */
export interface SuspensionTerms {
  readonly note?: string | undefined;
  readonly untilUnixMs?: number | undefined;
}

/** Checks the options `note` and `until`. */
export function suspensionTerms(ownOptions: Fields): SuspensionTerms {
  return { note: textOption(ownOptions, 'note'), untilUnixMs: instantField(ownOptions['until'], 'until') };
}

/** @throws ScheduleInvalidError (2706) for an end that has passed already. */
export function refusePastEnd({ untilUnixMs }: SuspensionTerms, nowUnixMs: number): void {
  if (untilUnixMs !== undefined && untilUnixMs <= nowUnixMs) {
    throw new ScheduleInvalidError('until must be in the future.');
  }
}
