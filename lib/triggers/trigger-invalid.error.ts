import { CronStoreError } from '../cron-store.error.js';

/** Why a trigger is refused. Stable: clients may switch on it. */
export type TriggerFault =
  | 'kind_unknown'
  | 'expr_required'
  | 'expr_invalid'
  | 'timezone_invalid'
  | 'interval_too_short'
  | 'interval_too_long'
  | 'fire_time_required'
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
