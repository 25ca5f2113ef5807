import { type CanActivate, Inject, Injectable } from '@nestjs/common';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import { OperationUnknownError } from '../management.errors.js';

/** Runs before every other guard of the API: a store that is off exposes nothing. */
@Injectable()
export class StoreEnabledGuard implements CanActivate {
  constructor(@Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions) {}

  canActivate(): boolean {
    if (!this.options.enabled) {
      throw new OperationUnknownError('There is no such resource or action.');
    }
    return true;
  }
}
