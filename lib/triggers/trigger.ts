import { everyWordOf } from '../every-word-of.js';

/** The three ways to say when: a calendar expression, a fixed rate, a single instant. */
export type TriggerKind = 'cron' | 'interval' | 'once';

/** Every kind of trigger. */
export const TRIGGER_KINDS = everyWordOf<TriggerKind>({ cron: true, interval: true, once: true });

/**
 * What happens to a local time that matches but is skipped by a change of the zone's offset: `skip` (the default)
 * lets it pass, `run_after` fires once at the end of the gap. Only where the hour is restricted: an hourly or
 * minutely expression keeps its cadence and has nothing to make up for.
 */
export type DstGap = 'skip' | 'run_after';

/** Everything that `dstGap` can say, the default first. */
export const DST_GAPS = everyWordOf<DstGap>({ skip: true, run_after: true });

/**
 * A cron expression in an IANA time zone.
 *
 * The five fields are those of Vixie cron: where day of month and day of week are both restricted (anything but `*`,
 * `?` and `*` with step 1), a day matches if either does, and Sunday is 0 or 7. Leading seconds, `?`, `L`, `W` and `#`
 * come from Quartz, but not its weekdays, which count from 1: `2#1` is the first Tuesday. Descriptors, `@every` and
 * the prefixes `CRON_TZ=` and `TZ=` are those of Go's robfig/cron.
 *
 * An instant fires if its local time matches every field and, when the hour field is restricted (it does not match
 * all 24 hours), it is the first instant with that local time. So a local time in a gap does not fire, and a repeated
 * one fires once, at its first occurrence.
 */
export interface CronTrigger {
  /** Tells the kinds of triggers apart. */
  readonly kind: 'cron';
  /** Five fields, six with leading seconds, a descriptor such as `@daily`, or `@every 90m` / `@every:5400000`. */
  readonly expr: string;
  /** IANA name, links included. Absent or empty is UTC. Not for `@every`, which is aligned to the epoch. */
  readonly timezone?: string;
  /** What happens to a local time that is skipped. Default `skip`. Not for `@every`. */
  readonly dstGap?: DstGap;
}

/** A fixed rate. Its phase comes from the schedule (`startsAt`, else the time of creation), not from the trigger. */
export interface IntervalTrigger {
  /** Tells the kinds of triggers apart. */
  readonly kind: 'interval';
  /** Whole milliseconds, from {@link MIN_INTERVAL_MS} to {@link MAX_DURATION_MS}. */
  readonly everyMs: number;
}

/** A single fire. */
export interface OnceTrigger {
  /** Tells the kinds of triggers apart. */
  readonly kind: 'once';
  /** Unix milliseconds. */
  readonly atUnixMs: number;
}

/** When a schedule fires: plain JSON, told apart by `kind`. Build one with `cron`, `every` or `once`. */
export type Trigger = CronTrigger | IntervalTrigger | OnceTrigger;

/** Shortest interval, in milliseconds. */
export const MIN_INTERVAL_MS = 1000;

/** Zone of a cron trigger that names none. Never the zone of the process: nodes would disagree. */
export const DEFAULT_TIMEZONE = 'UTC';
