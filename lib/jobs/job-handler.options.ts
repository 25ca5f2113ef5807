import type { Type } from '@nestjs/common';
import type { DefaultSchedule } from '../schedules/index.js';

/** What `@JobHandler` can say about a job. */
export interface JobHandlerOptions<P = unknown> {
  /** Unique among the job names of its store on this node, 1–128 characters. What `ScheduleSpec.jobName` refers to. */
  readonly name: string;
  /**
   * Name of the store to which the handler belongs, where the application has several. Default: the unnamed store. A store
   * that the application has not got fails start-up.
   */
  readonly store?: string | undefined;
  /**
   * Class that the params are decoded into (class-transformer) and validated with (class-validator) before the handler
   * is invoked; if they do not fit, the run is journaled `failed` and the handler is not invoked. Default: the params
   * are delivered as they are.
   */
  readonly params?: Type<P & object>;
  /**
   * Whether the handler gets a `TransactionalExecution`, whose `manager` is a transaction of the application's data
   * source that also writes the run's `succeeded` record, as its last statement: the handler's rows and the record
   * commit together or not at all, whatever dies when. A run whose handler fails, exceeds its timeout and
   * `abortGrace`, is canceled or was taken over by another node leaves nothing behind. It takes a connection of the
   * application's pool for as long as it runs. Default false.
   */
  readonly transactional?: boolean;
  /** Schedule that the job brings along. A class that computes it has a method `defaultSchedule()` instead. */
  readonly defaultSchedule?: DefaultSchedule;
}
