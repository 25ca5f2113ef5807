import type { Type } from '@nestjs/common';
import type { DefaultSchedule } from '../schedules/index.js';
import type { Execution, TransactionalExecution } from './execution.js';

/** What a handler answers when it is asked for its default schedule; undefined when it has none after all. */
export type DefaultScheduleAnswer = DefaultSchedule | undefined | Promise<DefaultSchedule | undefined>;

interface CommonDefinition {
  readonly name: string;
  /** Where the job is defined, for error messages: `ReportService (ReportsModule)`. */
  readonly place: string;
  /** The class that its params are decoded into. */
  readonly params?: Type<object> | undefined;
  readonly defaultSchedule?: (() => DefaultScheduleAnswer) | undefined;
}

/** A job whose success is recorded after its handler has returned. */
export interface PlainJobDefinition extends CommonDefinition {
  readonly kind: 'plain';
  /** A method, so that a handler may say more about its params than is known here. */
  invoke(this: void, execution: Execution): unknown;
}

/** A job whose handler works in the transaction that records its success. */
export interface TransactionalJobDefinition extends CommonDefinition {
  readonly kind: 'transactional';
  /** A method, for the same reason. */
  invoke(this: void, execution: TransactionalExecution): unknown;
}

/** A job as its source describes it: a decorated class, a decorated method, or a call of the registry. */
export type JobDefinition = PlainJobDefinition | TransactionalJobDefinition;
