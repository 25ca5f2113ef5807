import { HttpException } from '@nestjs/common';
import { CronStoreError } from '../../cron-store.error.js';
import { UNEXPECTED_CODE } from '../../manager/index.js';
import { MALFORMED_CODE, ManagementError } from '../management.errors.js';

/** The answer to a request that did not succeed. */
export interface ErrorAnswer {
  readonly status: number;
  readonly code: number;
  readonly message: string;
}

/** The codes that statuses of the application's own guards and interceptors are answered with. */
const CODES_BY_STATUS = new Map([
  [401, 1000],
  [403, 1100],
  [404, 1200],
]);

/**
 * What a client is told of an error: what was thrown for it to read, and of anything else only that it happened.
 */
export function errorAnswerOf(error: unknown): ErrorAnswer {
  if (error instanceof ManagementError) {
    return { status: error.status, code: error.code, message: error.message };
  }
  if (error instanceof CronStoreError) {
    return { status: 200, code: error.code, message: error.message };
  }
  const status = error instanceof HttpException ? error.getStatus() : 500;
  if (error instanceof HttpException && status >= 400 && status < 500) {
    return { status, code: CODES_BY_STATUS.get(status) ?? MALFORMED_CODE, message: error.message };
  }
  return {
    status: status >= 500 && status < 600 ? status : 500,
    code: UNEXPECTED_CODE,
    message: 'Something went wrong; the log of the server says what.',
  };
}

/** Whether the fault is the server's, so that its log has to tell. */
export function isUnexpected(answer: ErrorAnswer): boolean {
  return answer.code === UNEXPECTED_CODE;
}
