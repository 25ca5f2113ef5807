import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DefaultSchedule } from '../schedules/index.js';
import { Execution, TransactionalExecution, type ExecutionFacts } from './execution.js';
import { InterceptorChain } from './interceptor-chain.js';
import { decodeParams } from './params-decoder.js';
import type { RunInterceptor } from './run-interceptor.js';

/** What a handler answers when it is asked for its default schedule; undefined when it has none after all. */
export type DefaultScheduleAnswer = DefaultSchedule | undefined | Promise<DefaultSchedule | undefined>;

/** A job as its source describes it: a decorated class, a decorated method, or a call of the registry. */
export interface JobDefinition {
  readonly name: string;
  /** Where the job is defined, for error messages: `ReportService (ReportsModule)`. */
  readonly place: string;
  /** The class that its params are decoded into. */
  readonly params?: Type<object> | undefined;
  /** Whether it is invoked with a `TransactionalExecution`. Default false. */
  readonly transactional?: boolean | undefined;
  /** A method, so that a handler may say more about its params than is known here. */
  invoke(this: void, execution: Execution): unknown;
  readonly defaultSchedule?: (() => DefaultScheduleAnswer) | undefined;
}

/** Within what a handler is invoked. */
export interface ExecutionScope {
  /** What surrounds it, the outermost first. */
  readonly interceptors?: readonly RunInterceptor[];
  /** The transaction of a transactional handler. */
  readonly manager?: EntityManager;
}

/** A job that can be executed on this node, whatever it was defined by. */
export class RegisteredJob {
  readonly name: string;
  readonly place: string;
  readonly params: Type<object> | undefined;
  readonly isTransactional: boolean;

  constructor(private readonly definition: JobDefinition) {
    this.name = definition.name;
    this.place = definition.place;
    this.params = definition.params;
    this.isTransactional = definition.transactional ?? false;
  }

  /**
   * Decodes the params when the job declares a class for them, then invokes the handler within the interceptors and
   * waits for it. A handler is never invoked with params that do not validate, nor with a signal that was aborted before.
   *
   * @throws whatever the handler throws; ParamsInvalidError; RunInterceptorError; the signal's reason.
   */
  async execute(
    facts: ExecutionFacts,
    { interceptors = [], manager }: ExecutionScope = {},
  ): Promise<unknown> {
    // A copy: what becomes of it is nobody else's params.
    const params =
      this.params === undefined
        ? structuredClone(facts.params)
        : await decodeParams(this.params, facts.params);
    facts.abort.throwIfAborted();
    const execution =
      manager === undefined
        ? new Execution(facts, params)
        : new TransactionalExecution(facts, params, manager);
    const invokeHandler = async (): Promise<unknown> => {
      facts.abort.throwIfAborted();
      return await this.definition.invoke(execution);
    };
    return interceptors.length === 0
      ? invokeHandler()
      : new InterceptorChain(interceptors, execution, invokeHandler).run();
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
