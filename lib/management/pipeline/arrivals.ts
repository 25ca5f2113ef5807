import { Injectable } from '@nestjs/common';

/** When requests arrived, for as long as they are there. */
@Injectable()
export class Arrivals {
  private readonly arrivedAt = new WeakMap<object, number>();

  note(request: object): void {
    this.arrivedAt.set(request, performance.now());
  }

  /** Milliseconds since the request arrived; 0 for one that a global guard of the application turned away before. */
  elapsedMs(request: object): number {
    const now = performance.now();
    return now - (this.arrivedAt.get(request) ?? now);
  }
}
