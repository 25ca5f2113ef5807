import { CronStoreError } from '../cron-store.error.js';

/** Why a trigger is refused. Stable: clients may switch on it. */
export type TriggerFault =
  /** It is no trigger, or has no kind that there is. */
  | 'kind_unknown'
  /** A cron trigger without an expression. */
  | 'expr_required'
  /** The expression cannot be read, or names a date that never comes. */
  | 'expr_invalid'
  /** There is no such IANA time zone. */
  | 'timezone_invalid'
  /** The interval is no whole number of milliseconds, or shorter than a second. */
  | 'interval_too_short'
  /** The interval is longer than `MAX_DURATION_MS`. */
  | 'interval_too_long'
  /** A once trigger without an instant that a `Date` can hold. */
  | 'fire_time_required'
  /** A field of another kind, or fields that contradict each other. */
  | 'fields_conflict';

/** A trigger that cannot be used. `message` names the field, what was found and what to write instead. */
export class TriggerInvalidError extends CronStoreError {
  override readonly name = 'TriggerInvalidError';
  readonly code = 2703;

  constructor(
    /** The kind of fault, for programs; the message is for people. */
    readonly reason: TriggerFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
