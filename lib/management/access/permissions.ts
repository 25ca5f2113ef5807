import { Inject, Injectable } from '@nestjs/common';
import { STORE_NAME } from '../../store-name.js';
import { PermissionCheckFailedError } from '../management.errors.js';
import { PermissionChecker, type PermissionQuery } from './permission-checker.js';

/** A question about this store. */
type StoreQuery = Omit<PermissionQuery, 'store'>;

/** Asks the checker of the application: before an action, and for whoever wants to know what they may do. */
@Injectable()
export class Permissions {
  constructor(
    private readonly checker: PermissionChecker,
    @Inject(STORE_NAME) private readonly store: string,
  ) {}

  /** @throws PermissionCheckFailedError when the checker fails, which permits nothing. */
  async isPermitted(query: StoreQuery): Promise<boolean> {
    // Compared, and not merely truthy: only `true` permits, whatever a checker without types returns.
    return query.permission !== '' && (await this.ask(query)) === true;
  }

  private async ask(query: StoreQuery): Promise<unknown> {
    try {
      return await this.checker.isPermitted({ ...query, store: this.store });
    } catch (cause) {
      throw new PermissionCheckFailedError(cause);
    }
  }
}
