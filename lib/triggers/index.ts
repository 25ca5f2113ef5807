export {
  type CronTrigger,
  DEFAULT_TIMEZONE,
  DST_GAPS,
  type DstGap,
  type IntervalTrigger,
  MIN_INTERVAL_MS,
  type OnceTrigger,
  type Trigger,
  TRIGGER_KINDS,
  type TriggerKind,
} from './trigger.js';
export { cron, every, once } from './trigger.builders.js';
export { normalizeTrigger, validateTrigger } from './normalize-trigger.js';
export { type TriggerFault, TriggerInvalidError } from './trigger-invalid.error.js';
export {
  countFires,
  type CountFiresOptions,
  type FireWindow,
  type Instant,
  nextFires,
  type NextFiresOptions,
} from './fires.js';
export type { Occurrences } from './occurrences/occurrences.js';
export { occurrencesOf, type OccurrenceWindow } from './occurrences/occurrences-of.js';
export { DurationError, durationText, MAX_DURATION_MS, parseDuration, unitAdvice } from './duration.js';
export { describeTrigger } from './description/describe-trigger.js';
