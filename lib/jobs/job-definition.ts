import type { Type } from '@nestjs/common';
import type { DefaultSchedule } from '../schedules/index.js';
import { Execution, type ExecutionFacts } from './execution.js';
import { decodeParams } from './params-decoder.js';

/** What a handler answers when it is asked for its default schedule; undefined when it has none after all. */
export type DefaultScheduleAnswer = DefaultSchedule | undefined | Promise<DefaultSchedule | undefined>;

/** A job as its source describes it: a decorated class, a decorated method, or a call of the registry. */
export interface JobDefinition {
  readonly name: string;
  /** Where the job is defined, for error messages: `ReportService (ReportsModule)`. */
  readonly place: string;
  /** The class that its params are decoded into. */
  readonly params?: Type<object> | undefined;
  /** A method, so that a handler may say more about its params than is known here. */
  invoke(this: void, execution: Execution): unknown;
  readonly defaultSchedule?: (() => DefaultScheduleAnswer) | undefined;
}

/** A job that can be executed on this node, whatever it was defined by. */
export class RegisteredJob {
  readonly name: string;
  readonly place: string;
  readonly params: Type<object> | undefined;

  constructor(private readonly definition: JobDefinition) {
    this.name = definition.name;
    this.place = definition.place;
    this.params = definition.params;
  }

  /**
   * Decodes the params when the job declares a class for them, then invokes the handler and waits for it. A handler is
   * never invoked with params that do not validate, nor with a signal that was aborted before.
   *
   * @throws whatever the handler throws; ParamsInvalidError; the signal's reason.
   */
  async execute(facts: ExecutionFacts): Promise<unknown> {
    const params = this.params === undefined ? facts.params : await decodeParams(this.params, facts.params);
    facts.signal.throwIfAborted();
    return await this.definition.invoke(new Execution(facts, params));
  }

  /**
   * Asks the handler for its default schedule.
   *
   * @returns undefined when it brings none along.
   * @throws whatever the handler throws.
   */
  async defaultSchedule(): Promise<DefaultSchedule | undefined> {
    return await this.definition.defaultSchedule?.();
  }
}
