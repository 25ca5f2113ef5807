/** What `auditRedact` is when it is not given. */
export const DEFAULT_AUDIT_REDACT: readonly string[] = [
  'password',
  'passwd',
  'secret',
  'token',
  'authorization',
  'credential',
  'cookie',
  'apikey',
  'accesskey',
  'privatekey',
];

/**
 * Options of `CronStoreModule`. Every one has a default; a duration is a number of milliseconds or a string such as
 * `'30s'`, `'5m'` or `'1h30m'`, a count is at most 2,147,483,647. They are checked at start-up: a fault fails it with a
 * `CronStoreOptionsError` that names every fault. An omitted option and one that is `undefined` are the same.
 *
 * Names, meaning and defaults of `autoMigrate`, `pollInterval`, `batchSize`, `maxConcurrent`, `misfireThreshold`,
 * `heartbeatInterval`, `abandonedAfter`, `runTimeout` and `runRetention` are those of VEF's `vef.cron.store` section. Its
 * `enabled` is off unless it is set; here importing the module is the switch.
 */
export interface CronStoreOptions {
  /**
   * Whether the store works at all. `false` touches no table and starts no engine, and every method of
   * `ScheduleManager` throws `StoreDisabledError`. Turn it off where the application runs without its schedules: in
   * a test, a one-off script, a web-only process. Default true.
   */
  readonly enabled?: boolean | undefined;

  /**
   * Whether this process executes: runs the engine as a node, and seeds the default schedules of its job handlers.
   * `false` is a process that only manages: `ScheduleManager` and the management API work, on the jobs that the nodes
   * register, and nothing fires here. Turn it off where requests are served apart from work, in a script, in a console.
   * Default true.
   */
  readonly execute?: boolean | undefined;

  /**
   * Name of the store, where an application has several: 1 to 63 letters, digits, `-`, `_` or `.`. Handlers say by it to
   * which store they belong, and `getScheduleManagerToken(name)` and its like are its tokens. With `forRootAsync` give it
   * beside `useFactory`. Default: the unnamed store, which events, logs and metrics call `default`.
   */
  readonly name?: string | undefined;

  /**
   * Name of the TypeORM data source whose database holds the schedules. With `forRootAsync` give it beside
   * `useFactory`: the data source must be known before the factory runs. Default: the default data source.
   */
  readonly dataSource?: string | undefined;

  /**
   * PostgreSQL schema of the store's tables, 1–63 bytes. Change it to keep the tables apart from the application's,
   * or to keep two independent stores in one database. Default `'public'`.
   */
  readonly schema?: string | undefined;

  /**
   * The environment that this application is, such as `'production'` or `'staging'`: 1–63 letters, digits, `.`, `_` and
   * `-`. A store belongs to that of the first node that declares one, and everything that declares another, or none,
   * refuses it with a `StoreEnvironmentError`: a copy of production's database fires nothing in staging. Take it from
   * the deployment's configuration, not from the code. Default: none.
   */
  readonly environment?: string | undefined;

  /**
   * Whether to migrate the store's tables at start-up, safely from many nodes at once. Leave it off where the
   * application's role may not create tables and `cronStoreMigrations()` runs with the host's own migrations; a
   * missing or outdated table then fails start-up. Default false.
   */
  readonly autoMigrate?: boolean | undefined;

  /**
   * How long start-up waits, and tries again, while the database cannot be reached: nobody answers, or the server is
   * starting, stopping or has no connection left. 0 fails at once. Shorten it where a process that cannot work is to be
   * restarted, lengthen it where the database comes up with the application. Anything else fails at once: a refused
   * password, a missing database, a schema that is not up to date. Default `'30s'`.
   */
  readonly startupTimeout?: number | string | undefined;

  /**
   * Longest sleep between two looks at the schedules, at least 10 ms. Not the precision of fires: a node sleeps only
   * until the nearest occurrence it knows. It bounds how late a change made elsewhere is noticed when its
   * notification is lost, or with `listen: false`; shorten it there. Default `'5s'`.
   */
  readonly pollInterval?: number | string | undefined;

  /**
   * Most fires claimed in one transaction, at least 1. Larger batches cost fewer round trips in a burst and hold
   * their locks longer. Never more are claimed than there are free slots. While batches are full and slots are left, two
   * claims go side by side. Default 32.
   */
  readonly batchSize?: number | undefined;

  /**
   * Most runs that execute at once on this node, at least 1. Raise it for handlers that mostly wait, lower it where
   * they load the processor, or where each holds a connection of a small pool. Default 16.
   */
  readonly maxConcurrent?: number | undefined;

  /**
   * How late a fire may start and still count as on time, at least 1 ms; beyond it the schedule's misfire policy
   * decides. Raise it where late is better than missed, lower it where a late run is useless. Default `'1m'`.
   */
  readonly misfireThreshold?: number | string | undefined;

  /**
   * How often a node confirms that it and its runs are alive, at least 10 ms. Shorten it together with
   * `abandonedAfter` to recover sooner from a crash, for more writes. Default `'10s'`.
   */
  readonly heartbeatInterval?: number | string | undefined;

  /**
   * How old the last heartbeat of a run may be before another node declares it abandoned, at least twice
   * `heartbeatInterval`. Raise it where processes, or commits of the database, stall for long: a run declared dead too
   * early may run twice when its schedule recovers. Default `'1m'`.
   */
  readonly abandonedAfter?: number | string | undefined;

  /**
   * How long the event loop may be blocked before its process counts as stuck. Until then a worker thread heartbeats in
   * its place, so that nobody takes its runs over; afterwards nothing does, and they are taken over once `abandonedAfter`
   * has passed as well. Raise it where a handler computes for longer than that in one go, lower it to recover sooner
   * from one that never returns. Counted from the last heartbeat before the block. A value that is not longer than
   * `abandonedAfter`, such as 0, starts no thread. Default `'5m'`.
   */
  readonly stuckAfter?: number | string | undefined;

  /**
   * How often one occurrence is fired again because a crash abandoned its run, for schedules with `recover`; 0 never. It
   * ends the circle of a handler that kills its node. What a graceful shutdown canceled is fired again without being
   * counted. Default 5.
   */
  readonly maxRecoveries?: number | undefined;

  /**
   * Bound of a run whose schedule sets no `timeout` of its own; 0 leaves it unbounded. Set it where a handler can
   * hang: under the concurrency policy `forbid` a hanging run silences its schedule. Default 0.
   */
  readonly runTimeout?: number | string | undefined;

  /**
   * How long a handler has to settle after its signal was aborted, before its run is journaled without it; 0 does not
   * wait. Raise it where handlers need time to clean up. Default `'5s'`.
   */
  readonly abortGrace?: number | string | undefined;

  /**
   * How long a graceful shutdown waits for running runs before it aborts them; then `abortGrace` applies. 0 aborts at
   * once. Keep the sum below the time the platform grants between SIGTERM and SIGKILL. Default `'30s'`.
   */
  readonly shutdownTimeout?: number | string | undefined;

  /** How long runs that are over stay in the journal; 0 keeps them for ever. Default 0. */
  readonly runRetention?: number | string | undefined;

  /**
   * How long failures, runs that `failed` or were `abandoned`, stay in the journal at least: neither `runRetention` nor
   * `runRetentionPerSchedule` deletes a younger one. Not shorter than `runRetention`. Set it to keep what there is to
   * learn from when successes are of no interest any more. Default 0: they are kept like other runs.
   */
  readonly failedRunRetention?: number | string | undefined;

  /**
   * How many runs of each schedule the journal keeps, those claimed last; 0 sets no bound. Bound it where schedules fire
   * so often that `runRetention` alone keeps more than anybody reads. Every run counts, `missed` and `skipped` ones too;
   * one that is running is never deleted. Default 0.
   */
  readonly runRetentionPerSchedule?: number | undefined;

  /** How long records stay in the audit trail; 0 keeps them for ever. Default 0. */
  readonly auditRetention?: number | string | undefined;

  /**
   * Members of params whose values never enter the audit trail: those whose key contains one of these texts, whatever
   * its case and without regard to `-` and `_`. Your list replaces the default, `DEFAULT_AUDIT_REDACT`. Params
   * themselves are stored as they are given: secrets belong in a vault, and params may name them.
   */
  readonly auditRedact?: readonly string[] | undefined;

  /**
   * Whether to hold one connection that LISTENs for changes made on other nodes, so that they show at once instead of
   * after `pollInterval`. Turn it off behind a proxy that pools by transaction (PgBouncer): there LISTEN is accepted
   * and nothing arrives. `false` turns prepared statements off too, which such a proxy breaks. Default true.
   */
  readonly listen?: boolean | undefined;
}

/** The options after validation: complete, durations in whole milliseconds. */
export interface ResolvedOptions {
  readonly enabled: boolean;
  readonly execute: boolean;
  /** `'default'` is the unnamed store. */
  readonly name: string;
  /** `'default'` is the default data source. */
  readonly dataSource: string;
  readonly schema: string;
  /** Undefined is none. */
  readonly environment: string | undefined;
  readonly autoMigrate: boolean;
  readonly startupTimeout: number;
  readonly pollInterval: number;
  readonly batchSize: number;
  readonly maxConcurrent: number;
  readonly misfireThreshold: number;
  readonly heartbeatInterval: number;
  readonly abandonedAfter: number;
  /** No thread where it is not longer than `abandonedAfter`. */
  readonly stuckAfter: number;
  readonly maxRecoveries: number;
  /** 0 is unbounded. */
  readonly runTimeout: number;
  readonly abortGrace: number;
  readonly shutdownTimeout: number;
  /** 0 is for ever. */
  readonly runRetention: number;
  /** 0 is like other runs. */
  readonly failedRunRetention: number;
  /** 0 is unbounded. */
  readonly runRetentionPerSchedule: number;
  /** 0 is for ever. */
  readonly auditRetention: number;
  readonly auditRedact: readonly string[];
  readonly listen: boolean;
}
