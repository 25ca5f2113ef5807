import 'reflect-metadata';
import { JobHandlerInvalidError } from './job-handler.error.js';
import type { JobHandlerOptions } from './job-handler.options.js';

/**
 * Of the process and not of this copy of the package: in a workspace a handler may be decorated by another copy than the one
 * whose module the application imports.
 */
const JOB_HANDLER_METADATA = Symbol.for('nestjs-cron-store:job-handler');

/** Options of which only the decorator knew the type of the params. */
type DecoratedOptions = JobHandlerOptions<object>;

/** Notes that a class handles a job. */
export function decorateClass(options: JobHandlerOptions, target: object): void {
  if (Reflect.hasOwnMetadata(JOB_HANDLER_METADATA, target)) {
    throw decoratedTwice(typeof target === 'function' ? target.name : 'the class');
  }
  Reflect.defineMetadata(JOB_HANDLER_METADATA, options, target);
}

/**
 * Notes that a method handles a job: by its name on the prototype, and not on its function, which other decorators may
 * replace and a subclass may override.
 */
export function decorateMethod(options: JobHandlerOptions, prototype: object, methodName: string): void {
  if (Reflect.hasOwnMetadata(JOB_HANDLER_METADATA, prototype, methodName)) {
    throw decoratedTwice(`${prototype.constructor.name}.${methodName}()`);
  }
  Reflect.defineMetadata(JOB_HANDLER_METADATA, options, prototype, methodName);
}

/** The job that a class handles, by its own decorator or the nearest of its ancestors. */
export function jobOfClass(target: object): DecoratedOptions | undefined {
  return Reflect.getMetadata(JOB_HANDLER_METADATA, target);
}

/** The job that a method handles, by the decorator in its class or the nearest of its ancestors. */
export function jobOfMethod(prototype: object, methodName: string): DecoratedOptions | undefined {
  return Reflect.getMetadata(JOB_HANDLER_METADATA, prototype, methodName);
}

function decoratedTwice(what: string): JobHandlerInvalidError {
  return new JobHandlerInvalidError(
    `@JobHandler decorates ${what} twice: a handler has one job name, remove one of the two.`,
  );
}
