import type { HttpRequest } from '../http/http-request.js';
import type { Operation } from '../operations/operation.js';

/** What a request asks for. */
export interface OperationRequest {
  readonly operation: Operation;
  readonly params: unknown;
  readonly meta: unknown;
}

/** A way into the API: how a route tells which operation it is asked for. */
export interface Door {
  /**
   * @throws MalformedRequestError for the shape of the body; OperationUnknownError where there is no such operation.
   */
  read(request: HttpRequest): OperationRequest;

  /** What the request seems to ask for, before anything of it was checked: for the audit trail. */
  peek(request: HttpRequest): Operation | undefined;
}
