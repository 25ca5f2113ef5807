import type { Execution, TransactionalExecution } from './execution.js';
import type { DefaultScheduleAnswer } from './job-definition.js';
import { JobHandlerInvalidError } from './job-handler.error.js';
import type { JobHandlerOptions } from './job-handler.options.js';
import { decorateClass, decorateMethod } from './job-handler.metadata.js';

/**
 * Code that runs when a schedule of its job fires. Implemented by a provider class that is decorated with
 * `@JobHandler`.
 *
 * A fire is executed at most once, and at least once where its schedule asks for it: with `recover` a run that was
 * abandoned or canceled is fired again, with `retry` one that failed; such handlers should be idempotent (see
 * `Execution.idempotencyKey`). What a transactional one does with its `manager`
 * is committed exactly once.
 */
export interface JobHandler<P = unknown> {
  /**
   * Executes one run. Returning makes it `succeeded`, throwing or rejecting makes it `failed`; what is returned is not
   * kept.
   */
  execute(execution: Execution<P>): unknown;

  /**
   * The schedule that this handler brings along, asked for once at start-up, so that it can be computed from injected
   * configuration. It is seeded where it was never seeded before; an operator's changes to it are kept. `undefined`
   * seeds none. A request-scoped class is made for the question, outside of any run: its `REQUEST` is undefined then.
   */
  defaultSchedule?(): DefaultScheduleAnswer;
}

/** The decorator of a class with a method `execute`, or of a method that takes the execution. */
export interface JobHandlerDecorator<P, Given extends Execution<P> = Execution<P>> {
  (target: abstract new (...args: never[]) => { execute: (execution: Given) => unknown }): void;
  /** @typeParam Method what the decorated method is, with an execution of the right params. */
  <Method extends (execution: Given) => unknown>(
    target: object,
    methodName: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void;
}

/**
 * Registers a provider's class, or a method of a provider or controller, as the handler of a job. A class can have any
 * number of decorated methods, also beside its own decorator.
 *
 * - The class must be a provider (or controller) of some module of the application; in one that no module provides, the
 *   decorator is never seen, and in one that is loaded lazily, only by `CronStoreEngine.discoverHandlers()`.
 * - A request-scoped or transient one is made anew for each run, and can inject the `Execution` as `REQUEST`. A durable one
 *   is made once for each key of the application's `ContextIdStrategy`, which is given the `Execution`, and its `REQUEST` is
 *   the strategy's payload. One made by a request-scoped factory is not seen.
 * - A subclass inherits the decorators of its parent, also on methods that it overrides, and may replace them by its
 *   own. Provide either of the two: both under one job name are a duplicate.
 * - An empty, over-long or duplicate name fails start-up, naming both places.
 */
export function JobHandler(name: string): JobHandlerDecorator<never>;
export function JobHandler<P = never>(
  options: JobHandlerOptions<P> & { readonly transactional: true },
): JobHandlerDecorator<P, TransactionalExecution<P>>;
export function JobHandler<P = never>(options: JobHandlerOptions<P>): JobHandlerDecorator<P>;
export function JobHandler(given: string | JobHandlerOptions): JobHandlerDecorator<never, never> {
  const options = typeof given === 'string' ? { name: given } : given;
  return (target: object, methodName?: string | symbol, descriptor?: PropertyDescriptor): void => {
    if (methodName === undefined) {
      decorateClass(options, target);
      return;
    }
    if (
      typeof target === 'function' ||
      typeof methodName === 'symbol' ||
      typeof descriptor?.value !== 'function'
    ) {
      throw new JobHandlerInvalidError(
        `@JobHandler cannot decorate ${String(methodName)}: it decorates classes and their named instance methods, not static members, accessors, properties or symbols.`,
      );
    }
    decorateMethod(options, target, methodName);
  };
}
