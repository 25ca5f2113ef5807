import { ScheduleInvalidError, type Fields } from '../../schedules/index.js';
import { instantOption, textOption } from './own-options.js';

/** What an operator says of a pause or a hold. */
export interface SuspensionTerms {
  /** Why, in the operator's words. */
  readonly note: string | undefined;
  /** When it ends by itself. */
  readonly untilUnixMs: number | undefined;
}

/** The options `note` and `until`, checked. */
export function suspensionTerms(ownOptions: Fields): SuspensionTerms {
  return { note: textOption(ownOptions, 'note'), untilUnixMs: instantOption(ownOptions, 'until') };
}

/** @throws ScheduleInvalidError (2706) for an end that has passed already. */
export function refusePastEnd({ untilUnixMs }: SuspensionTerms, nowUnixMs: number): void {
  if (untilUnixMs !== undefined && untilUnixMs <= nowUnixMs) {
    throw new ScheduleInvalidError('until must be in the future.');
  }
}
