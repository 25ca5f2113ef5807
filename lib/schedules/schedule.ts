import { everyWordOf } from '../every-word-of.js';
import type { DstGap, Instant, Trigger, TriggerKind } from '../triggers/index.js';
import type { ConcurrencyPolicy, MisfirePolicy } from './policies.js';
import type { CompleteRetryPolicy, RetryPolicy } from './retry.js';

/** A length of time: milliseconds, or a string such as `'30s'`, `'5m'`, `'1h30m'`. */
export type Duration = number | string;

/** Any value that JSON can carry. */
export type JsonValue =
  string | number | boolean | null | readonly JsonValue[] | { readonly [key: string]: JsonValue };

/** A schedule to create, or the whole desired state of one to update. Omitted fields take their defaults. */
export interface ScheduleSpec {
  /**
   * Unique management key, 1–128 characters. Required on create; on update omitted means unchanged and another value
   * renames; on a default schedule it falls back to the job name.
   */
  readonly name?: string | undefined;
  /** The registered job handler to execute. */
  readonly jobName: string;
  /** When it fires. Build one with `cron`, `every` or `once`. */
  readonly trigger: Trigger;
  /**
   * Any JSON value, or an object that JSON can carry such as an instance of the handler's params class, delivered as it
   * was given to the handler on every run. Default: none.
   */
  readonly params?: JsonValue | object | undefined;
  /** First instant that may fire (inclusive); also the phase anchor of an interval. Default: unbounded. */
  readonly startsAt?: Instant | undefined;
  /** Last instant that may fire (inclusive); after `startsAt`. Default: unbounded. */
  readonly endsAt?: Instant | undefined;
  /** What happens to late occurrences. Default `fire_now`. */
  readonly misfirePolicy?: MisfirePolicy | undefined;
  /** With `backfill`: how many of the most recent missed occurrences fire, 1–10,000. Default: every one. */
  readonly backfillLimit?: number | undefined;
  /** What happens to a fire while a run of the schedule is running. Default `forbid`. */
  readonly concurrencyPolicy?: ConcurrencyPolicy | undefined;
  /** Fire again what was abandoned by a crash or canceled by shutdown; the handler must be idempotent. Default false. */
  readonly recover?: boolean | undefined;
  /** Try failed runs again. Default: no. */
  readonly retry?: RetryPolicy | undefined;
  /** Bound of one run, in whole ms or as a string. 0 or omitted inherits the module's `runTimeout`. */
  readonly timeout?: Duration | undefined;
  /** Whether it fires; `false` is paused. Default true. */
  readonly enabled?: boolean | undefined;
}

/**
 * Changes to make to a schedule: what is not given, or is `undefined`, stays as it is, the pause included. `null`
 * removes what is optional. `params: null` is the JSON value null.
 */
export type SchedulePatch = Partial<Omit<ScheduleSpec, RemovableField>> & {
  readonly [Field in RemovableField]?: ScheduleSpec[Field] | null | undefined;
};

/** The fields that a patch removes with `null`. */
export type RemovableField = 'startsAt' | 'endsAt' | 'backfillLimit' | 'retry';

/** A default schedule that a job handler brings along. `jobName` is the handler's own; `name` falls back to it. */
export interface DefaultSchedule extends Omit<ScheduleSpec, 'jobName'> {
  /**
   * Who owns the schedule once it is seeded. `keep` (default): the operators; what the code says later changes nothing.
   * `update`: the code; a definition that differs from the last one synced replaces job, trigger, params and policies at
   * boot, and never the name that an operator gave, the pause, the journal, or a schedule of another job that had the name
   * before.
   */
  readonly onRedeploy?: 'keep' | 'update' | undefined;
  /**
   * With `update`: orders definitions while several versions run side by side: a lower revision never replaces a higher
   * one. A whole number of 32 bits. Default 0.
   */
  readonly revision?: number | undefined;
}

/** What a schedule is doing: waiting for its next fire, paused, without any further occurrence, or unreadable. */
export type ScheduleState = 'armed' | 'paused' | 'spent' | 'parked';

/** Every schedule state. */
export const SCHEDULE_STATES = everyWordOf<ScheduleState>({
  armed: true,
  paused: true,
  spent: true,
  parked: true,
});

/** What of a schedule its fires depend on. */
export type FiringSchedule = Omit<
  Schedule,
  | 'isEnabled'
  | 'state'
  | 'parkedReason'
  | 'pausedAtUnixMs'
  | 'pausedBy'
  | 'pauseNote'
  | 'pausedUntilUnixMs'
  | 'version'
  | 'createdAtUnixMs'
  | 'createdBy'
  | 'updatedAtUnixMs'
  | 'updatedBy'
>;

/** A schedule as it is stored. Instants are Unix ms; what does not apply is absent. */
export interface Schedule {
  /** A UUID that stays the same through renames. */
  readonly id: string;
  /** The unique name under which it is managed. */
  readonly name: string;
  /** The job handler that it fires. */
  readonly jobName: string;
  /** The kind of its trigger. It tells which of the next five fields are there. */
  readonly kind: TriggerKind;
  /** Of `cron`: the expression. */
  readonly expr?: string;
  /** Of `cron`: the IANA time zone, `UTC` where none was given. Absent with `@every`. */
  readonly timezone?: string;
  /** Of `cron`: only `run_after`; absent is `skip`. */
  readonly dstGap?: DstGap;
  /** Of `interval`: the period, in ms. */
  readonly everyMs?: number;
  /** Of `once`: the instant, in Unix ms. */
  readonly fireAtUnixMs?: number;
  /** First instant that may fire, inclusive, in Unix ms. Absent is unbounded. */
  readonly startsAtUnixMs?: number;
  /** Last instant that may fire, inclusive, in Unix ms. Absent is unbounded. */
  readonly endsAtUnixMs?: number;
  /** Phase anchor of an interval: `startsAt`, else the creation time. */
  readonly anchorAtUnixMs: number;
  /** What its handler is given, as it was stored. Absent where there is none. */
  readonly params?: JsonValue;
  /** What happens to late occurrences. */
  readonly misfirePolicy: MisfirePolicy;
  /** With `backfill`: how many of the most recent missed occurrences fire. Absent is every one. */
  readonly backfillLimit?: number;
  /** What happens to an occurrence while a run is active. */
  readonly concurrencyPolicy: ConcurrencyPolicy;
  /** Whether what a crash abandoned or a shutdown canceled is fired again. */
  readonly recover: boolean;
  /** How failed runs are tried again, with its defaults filled in. Absent where they are not. */
  readonly retry?: CompleteRetryPolicy;
  /** Bound of one run, in ms; 0 inherits the module's `runTimeout`. */
  readonly timeoutMs: number;
  /** The operator's switch: pause clears it, resume sets it. */
  readonly isEnabled: boolean;
  /** What it is doing. */
  readonly state: ScheduleState;
  /** The next occurrence the engine will claim, in Unix ms. Pausing keeps it; absent when there is none. */
  readonly nextFireAtUnixMs?: number;
  /** Logical time of the most recent fire, in Unix ms. Absent before the first. */
  readonly lastFireAtUnixMs?: number;
  /** Why the schedule is parked: its row could not be evaluated. An update, a patch or a resume tries again. */
  readonly parkedReason?: string;
  /** When it was paused, in Unix ms. Absent while it is not. */
  readonly pausedAtUnixMs?: number;
  /** The id of the actor who paused it. Absent while it is not. */
  readonly pausedBy?: string;
  /** Why it was paused, in the operator's words. Absent where they gave none. */
  readonly pauseNote?: string;
  /** When the pause ends by itself, in Unix ms. Absent where it does not. */
  readonly pausedUntilUnixMs?: number;
  /** Grows by one with every change; give it back as `expectedVersion` to refuse a lost update. */
  readonly version: number;
  /** When it was created, in Unix ms. */
  readonly createdAtUnixMs: number;
  /** The id of the actor who created it. */
  readonly createdBy: string;
  /** When it was changed last, in Unix ms. */
  readonly updatedAtUnixMs: number;
  /** The id of the actor who changed it last. */
  readonly updatedBy: string;
}

/** A schedule as it is read, with what its nodes make of it at this moment. */
export interface ListedSchedule extends Schedule {
  /**
   * Whether no live node registers its job: then it stays due and does not fire until one does. Nothing is ever deleted
   * for it.
   */
  readonly isOrphaned: boolean;
  /** Whether its job, or the whole store, is held: nothing of it is claimed. A switch beside its own pause. */
  readonly isHeld: boolean;
}
