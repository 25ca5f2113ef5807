import type { AbortSource } from '../../jobs/index.js';

/** An abort whose signal is made when somebody asks for it. */
export class LazyAbort implements AbortSource {
  private controller: AbortController | undefined;
  private reason: Error | undefined;

  get signal(): AbortSignal {
    this.controller ??= new AbortController();
    if (this.reason !== undefined) {
      this.controller.abort(this.reason);
    }
    return this.controller.signal;
  }

  /** The first reason stays. */
  abort(reason: Error): void {
    this.reason ??= reason;
    this.controller?.abort(this.reason);
  }

  throwIfAborted(): void {
    if (this.reason !== undefined) {
      throw this.reason;
    }
  }
}
