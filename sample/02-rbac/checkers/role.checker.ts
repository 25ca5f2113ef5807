import { Injectable } from '@nestjs/common';
import { PermissionChecker, type PermissionQuery } from 'nestjs-cron-store';

/** By hand: viewers look, operators do everything, and the jobs of accounting are accounting's. */
@Injectable()
export class RoleChecker extends PermissionChecker {
  override isPermitted({ permission, target, request }: PermissionQuery): boolean {
    const { roles } = request.user as { readonly roles: readonly string[] };
    if (target?.jobNames.some((job) => job.startsWith('accounting-')) && !roles.includes('accounting')) {
      return false;
    }
    return roles.includes('operator') || (roles.includes('viewer') && permission.endsWith('.query'));
  }
}
