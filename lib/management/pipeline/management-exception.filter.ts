import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, type Type } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import type { Door } from '../doors/door.js';
import type { HttpRequest } from '../http/http-request.js';
import { AttemptRecorder } from './attempt.recorder.js';
import { errorAnswerOf, isUnexpected } from './error-answer.js';

/**
 * Makes the filter of a route. It answers every error of the route, whoever throws it: the application's global guards
 * and interceptors too, which is why a filter and no interceptor writes the audit trail.
 *
 * @param door tells what a request asked for that was refused before it was read.
 */
export function exceptionFilterOf(door: Door): Type<ExceptionFilter> {
  @Catch()
  class ManagementExceptionFilter implements ExceptionFilter {
    private readonly logger = new StoreLogger();

    constructor(
      @Inject(HttpAdapterHost) private readonly adapterHost: HttpAdapterHost,
      @Inject(AttemptRecorder) private readonly recorder: AttemptRecorder,
    ) {}

    /** Never rejects: nobody would hear of it. */
    async catch(error: unknown, host: ArgumentsHost): Promise<void> {
      const request = host.switchToHttp().getRequest<HttpRequest>();
      const answer = errorAnswerOf(error);
      try {
        if (isUnexpected(answer)) {
          this.logger.error(
            `A request of the management API failed: ${messageOf(error)}`,
            codeFacts(error),
            error,
          );
        }
        await this.recorder.record({ request, operation: door.peek(request), error, answer });
      } catch (failure) {
        this.logger.error(
          `A failed request could not be recorded: ${messageOf(failure)}`,
          codeFacts(failure),
          failure,
        );
      }
      const { status, code, message } = answer;
      const response: unknown = host.switchToHttp().getResponse();
      const { httpAdapter } = this.adapterHost;
      if (!httpAdapter.isHeadersSent(response)) {
        httpAdapter.reply(response, { code, message, data: null }, status);
      }
    }
  }
  return ManagementExceptionFilter;
}
