import type { Type } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { DefaultSchedule } from '../schedules/index.js';
import { Execution, TransactionalExecution, type ExecutionFacts } from './execution.js';
import { InterceptorChain } from './interceptor-chain.js';
import type { JobDefinition, PlainJobDefinition, TransactionalJobDefinition } from './job-definition.js';
import { decodeParams } from './params-decoder.js';
import type { RunInterceptor } from './run-interceptor.js';

/** What every job has in common, whatever it was defined by. */
abstract class Job<Definition extends JobDefinition> {
  readonly name: string;
  readonly place: string;
  readonly params: Type<object> | undefined;

  constructor(protected readonly definition: Definition) {
    this.name = definition.name;
    this.place = definition.place;
    this.params = definition.params;
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

  /** @throws ParamsInvalidError, as a rejection */
  protected paramsOf({ params }: ExecutionFacts): unknown {
    return this.params === undefined ? copyOf(params) : decodeParams(this.params, params);
  }
}

/** A job whose success is recorded after its handler has returned. */
export class PlainJob extends Job<PlainJobDefinition> {
  readonly kind = 'plain';

  /**
   * Decodes the params when the job declares a class for them, then invokes the handler within the interceptors and
   * waits for it. A handler is never invoked with params that do not validate, nor with a signal that was aborted before.
   *
   * @param interceptors the first is the outermost.
   * @throws whatever the handler throws; ParamsInvalidError; RunInterceptorError; the signal's reason.
   */
  async execute(facts: ExecutionFacts, interceptors: readonly RunInterceptor[] = []): Promise<unknown> {
    const execution = new Execution(facts, await this.paramsOf(facts));
    return invokeWithin(interceptors, execution, facts, () => this.definition.invoke(execution));
  }
}

/** A job whose handler works in the transaction that records its success. */
export class TransactionalJob extends Job<TransactionalJobDefinition> {
  readonly kind = 'transactional';

  /** The same in a transaction. @param manager that of the transaction, which the caller ends. */
  async execute(
    facts: ExecutionFacts,
    manager: EntityManager,
    interceptors: readonly RunInterceptor[] = [],
  ): Promise<unknown> {
    const execution = new TransactionalExecution(facts, await this.paramsOf(facts), manager);
    return invokeWithin(interceptors, execution, facts, () => this.definition.invoke(execution));
  }
}

/** A job that can be executed on this node. */
export type RegisteredJob = PlainJob | TransactionalJob;

/** Makes a job of its definition. */
export function registeredJob(definition: JobDefinition): RegisteredJob {
  switch (definition.kind) {
    case 'plain':
      return new PlainJob(definition);
    case 'transactional':
      return new TransactionalJob(definition);
  }
}

/** What becomes of it is nobody else's params. */
function copyOf(params: unknown): unknown {
  return typeof params === 'object' ? structuredClone(params) : params;
}

function invokeWithin(
  interceptors: readonly RunInterceptor[],
  execution: Execution,
  { abort }: ExecutionFacts,
  invoke: () => unknown,
): unknown {
  abort.throwIfAborted();
  if (interceptors.length === 0) {
    return invoke();
  }
  const invokeHandler = async (): Promise<unknown> => {
    abort.throwIfAborted();
    return await invoke();
  };
  return new InterceptorChain(interceptors, execution, invokeHandler).run();
}
