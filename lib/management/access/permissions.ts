import { Injectable } from '@nestjs/common';
import { PermissionCheckFailedError } from '../management.errors.js';
import { PermissionChecker, type PermissionQuery } from './permission-checker.js';

/** Asks the checker of the application: before an action, and for whoever wants to know what they may do. */
@Injectable()
export class Permissions {
  constructor(private readonly checker: PermissionChecker) {}

  /** @throws PermissionCheckFailedError when the checker fails, which permits nothing. */
  async isPermitted(query: PermissionQuery): Promise<boolean> {
    // Compared, and not merely truthy: only `true` permits, whatever a checker without types returns.
    return query.permission !== '' && (await this.ask(query)) === true;
  }

  private async ask(query: PermissionQuery): Promise<unknown> {
    try {
      return await this.checker.isPermitted(query);
    } catch (cause) {
      throw new PermissionCheckFailedError(cause);
    }
  }
}
