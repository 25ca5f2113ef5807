import type { Execution } from './execution.js';
import { brand, RUN_INTERCEPTOR } from './extension-brand.js';

/**
 * Something that happens around every run on this node: tracing, a tenant or CLS context, locks of your own. Extend
 * it in a provider of any module, or provide it under this class as the token; a factory under the token may return
 * several in an array. An interceptor is a singleton.
 *
 * The interceptors of a node surround the handler by ascending `order`, the first outermost. Their work counts towards
 * the run's timeout, and `execution.signal` is for them as well. Around a transactional handler they run within its
 * transaction, which commits after the outermost has returned.
 *
 * The handler decides the run, and no interceptor can turn its failure into a success:
 *
 * - The handler is invoked at most once. `next` called again answers as it did the first time.
 * - A handler that failed fails the run with its own error, also where an interceptor catches it or throws another.
 * - An interceptor that throws fails the run with the reason `interceptor_error`, before the handler, which is then not
 *   invoked, as well as after its success.
 * - So does one that returns without having called `next`.
 *
 * What is journaled is not taken from `execution`: it is frozen, and its params are a copy.
 */
export abstract class RunInterceptor {
  /** Position among the interceptors: lower is further outside. Equal ones keep the order of their discovery. Default 0. */
  readonly order: number = 0;

  /** Names of the stores that it serves, `'default'` for the unnamed one. Default: every store of the application. */
  readonly stores?: readonly string[] | undefined;

  /**
   * @param next goes on with the next interceptor, or with the handler, and resolves to what it returned. To be awaited
   *   or returned.
   * @returns a value that is not kept; to outer interceptors it is the result of their `next`.
   */
  abstract intercept(execution: Execution, next: () => Promise<unknown>): Promise<unknown>;
}

brand(RunInterceptor, RUN_INTERCEPTOR);
