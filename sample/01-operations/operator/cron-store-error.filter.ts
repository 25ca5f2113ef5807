import { type ArgumentsHost, Catch, type ExceptionFilter, HttpStatus } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import { CronStoreError, ScheduleDisabledError, ScheduleNotFoundError } from 'nestjs-cron-store';

/** Tells the operator what the store has refused, in the store's own words. */
@Catch(CronStoreError)
export class CronStoreErrorFilter implements ExceptionFilter<CronStoreError> {
  constructor(private readonly adapterHost: HttpAdapterHost) {}

  catch(error: CronStoreError, host: ArgumentsHost): void {
    const response: unknown = host.switchToHttp().getResponse();
    this.adapterHost.httpAdapter.reply(
      response,
      { code: error.code, message: error.message },
      statusOf(error),
    );
  }
}

function statusOf(error: CronStoreError): HttpStatus {
  if (error instanceof ScheduleNotFoundError) {
    return HttpStatus.NOT_FOUND;
  }
  return error instanceof ScheduleDisabledError ? HttpStatus.CONFLICT : HttpStatus.BAD_REQUEST;
}
