import type { Execution } from './execution.js';
import type { RunInterceptor } from './run-interceptor.js';
import { RunInterceptorError } from './run-interceptor.error.js';

/** How the handler settled. */
type HandlerEnd =
  | { readonly kind: 'returned'; readonly value: unknown }
  | { readonly kind: 'threw'; readonly error: unknown };

/** One run's way through the interceptors to the handler, and what went wrong on it. */
export class InterceptorChain {
  private handlerEnd: Promise<HandlerEnd> | undefined;
  private fault: RunInterceptorError | undefined;

  /** @param interceptors the first is the outermost. */
  constructor(
    private readonly interceptors: readonly RunInterceptor[],
    private readonly execution: Execution,
    private readonly invokeHandler: () => Promise<unknown>,
  ) {}

  /**
   * Invokes the handler within the interceptors, at most once, and waits for all of them.
   *
   * @returns what the handler returned.
   * @throws what the handler threw, whatever the interceptors made of it; RunInterceptorError.
   */
  async run(): Promise<unknown> {
    // What is thrown here was noted where it was thrown: an interceptor may have caught it meanwhile.
    await this.enter(0).catch(() => undefined);
    const end = await this.handlerEnd;
    if (end?.kind === 'threw') {
      throw end.error;
    }
    if (this.fault !== undefined) {
      throw this.fault;
    }
    return end?.value;
  }

  private async enter(depth: number): Promise<unknown> {
    const interceptor = this.interceptors[depth];
    return interceptor === undefined ? this.invoke() : this.intercept(interceptor, depth);
  }

  private async intercept(interceptor: RunInterceptor, depth: number): Promise<unknown> {
    let inner: Promise<unknown> | undefined;
    let isOver = false;
    const next = async (): Promise<unknown> => {
      if (inner === undefined && isOver) {
        throw new Error(`${nameOf(interceptor)} called next() after it had returned: await next() instead.`);
      }
      inner ??= this.enter(depth + 1);
      return inner;
    };
    try {
      return await interceptor.intercept(this.execution, next);
    } catch (cause) {
      this.fault ??= new RunInterceptorError(`The run interceptor ${nameOf(interceptor)} failed:`, { cause });
      throw cause;
    } finally {
      isOver = true;
      // Also of one that does not wait for it.
      await Promise.resolve(inner).catch(() => undefined);
      if (inner === undefined) {
        this.fault ??= new RunInterceptorError(
          `The run interceptor ${nameOf(interceptor)} returned without calling next(), so that the handler was not invoked: call it, or throw to say why the run fails.`,
        );
      }
    }
  }

  private async invoke(): Promise<unknown> {
    const settled = this.invokeHandler();
    this.handlerEnd = settled.then(
      (value) => ({ kind: 'returned', value }),
      (error: unknown) => ({ kind: 'threw', error }),
    );
    return settled;
  }
}

function nameOf(interceptor: RunInterceptor): string {
  return interceptor.constructor.name;
}
