import type { Type } from '@nestjs/common';
import type { DefaultSchedule } from '../schedules/index.js';

/** What `@JobHandler` can say about a job. */
export interface JobHandlerOptions<P = unknown> {
  /** Unique among the job names of this node, 1–128 characters. What `ScheduleSpec.jobName` refers to. */
  readonly name: string;
  /**
   * Class that the params are decoded into (class-transformer) and validated with (class-validator) before the handler
   * is invoked; if they do not fit, the run is journaled `failed` and the handler is not invoked. Default: the params
   * are delivered as they are.
   */
  readonly params?: Type<P & object>;
  /** Schedule that the job brings along. A class that computes it has a method `defaultSchedule()` instead. */
  readonly defaultSchedule?: DefaultSchedule;
}
