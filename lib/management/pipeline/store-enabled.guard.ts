import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import { OperationUnknownError } from '../management.errors.js';
import { Arrivals } from './arrivals.js';

/** Runs before every other guard of the API: a store that is off exposes nothing. */
@Injectable()
export class StoreEnabledGuard implements CanActivate {
  constructor(
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly arrivals: Arrivals,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    this.arrivals.note(context.switchToHttp().getRequest<object>());
    if (!this.options.enabled) {
      throw new OperationUnknownError('There is no such resource or action.');
    }
    return true;
  }
}
