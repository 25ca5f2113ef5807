import { Inject, Injectable } from '@nestjs/common';
import { STORE_NAME } from '../../store-name.js';
import { NotPermittedError, PermissionCheckFailedError } from '../management.errors.js';
import { PermissionChecker, type PermissionQuery } from './permission-checker.js';
import type { Requirement } from './requirement.js';

/** A question about an action of this store, and what it takes. */
export interface PermittedQuery extends Omit<PermissionQuery, 'store' | 'permission'> {
  readonly requires: Requirement;
}

/** Asks the checker of the application: before an action, and for whoever wants to know what they may do. */
@Injectable()
export class Permissions {
  constructor(
    private readonly checker: PermissionChecker,
    @Inject(STORE_NAME) private readonly store: string,
  ) {}

  /**
   * @throws NotPermittedError when who asks may not; PermissionCheckFailedError when the checker fails, which permits
   *   nothing.
   */
  async demand(query: PermittedQuery): Promise<void> {
    const missing = await this.missing(query);
    if (missing !== undefined) {
      throw new NotPermittedError(`This needs the permission ${missing} for what the request is about.`);
    }
  }

  /** @throws PermissionCheckFailedError when the checker fails, which permits nothing. */
  async isPermitted(query: PermittedQuery): Promise<boolean> {
    return (await this.missing(query)) === undefined;
  }

  /** The permission that who asks has not got; undefined where they may do it. */
  private async missing({ requires, ...query }: PermittedQuery): Promise<string | undefined> {
    switch (requires.kind) {
      case 'signedIn':
        return undefined;
      case 'permission':
        return (await this.has(requires.name, query)) ? undefined : requires.name;
    }
  }

  private async has(permission: string, query: Omit<PermittedQuery, 'requires'>): Promise<boolean> {
    // Compared, and not merely truthy: only `true` permits, whatever a checker without types returns.
    return permission !== '' && (await this.ask({ ...query, permission, store: this.store })) === true;
  }

  private async ask(query: PermissionQuery): Promise<unknown> {
    try {
      return await this.checker.isPermitted(query);
    } catch (cause) {
      throw new PermissionCheckFailedError(cause);
    }
  }
}
