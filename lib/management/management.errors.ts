import { UNEXPECTED_CODE } from '../manager/index.js';

/** An answer of the management API that is not a success, apart from those that the store itself gives. */
export abstract class ManagementError extends Error {
  /** The name of the class, also where code is minified. */
  abstract override readonly name: string;
  /** The HTTP status that it is answered with. */
  abstract readonly status: number;
  /** The `code` of the answer's body. */
  abstract readonly code: number;
}

/** Nobody is known to have made the request. */
export class NotAuthenticatedError extends ManagementError {
  override readonly name = 'NotAuthenticatedError';
  readonly status = 401;
  readonly code = 1000;

  constructor() {
    super('Sign in: the request does not say who makes it.');
  }
}

/** Whoever made the request may not. */
export class NotPermittedError extends ManagementError {
  override readonly name = 'NotPermittedError';
  readonly status = 403;
  readonly code = 1100;
}

/** There is no such resource or action, or none where the store is disabled. */
export class OperationUnknownError extends ManagementError {
  override readonly name = 'OperationUnknownError';
  readonly status = 404;
  readonly code = 1200;
}

/** The code of a request that cannot be understood. */
export const MALFORMED_CODE = 1400;

/** The request is not JSON of the right shape: a type, an unknown field, a required field that is missing. */
export class MalformedRequestError extends ManagementError {
  override readonly name = 'MalformedRequestError';
  readonly status = 400;
  readonly code = MALFORMED_CODE;
}

/** The application's permission checker failed, which permits nothing. */
export class PermissionCheckFailedError extends ManagementError {
  override readonly name = 'PermissionCheckFailedError';
  readonly status = 500;
  readonly code = UNEXPECTED_CODE;

  constructor(cause: unknown) {
    super('The permission could not be checked.', { cause });
  }
}
