import { Injectable } from '@nestjs/common';
import type { Operation, OperationInput } from '../operations/operation.js';

/** A call that has passed every check of who may do what. */
export interface PermittedCall {
  readonly operation: Operation;
  readonly input: OperationInput;
}

/** The calls in progress, by request. Only the guard puts them here, so that nothing is answered around it. */
@Injectable()
export class PermittedCalls {
  private readonly calls = new WeakMap<object, PermittedCall>();

  permit(request: object, call: PermittedCall): void {
    this.calls.set(request, call);
  }

  /** @throws Error when no guard has let the request pass. */
  get(request: object): PermittedCall {
    const call = this.calls.get(request);
    if (call === undefined) {
      throw new Error('A request reached the management API without passing its guard.');
    }
    return call;
  }
}
