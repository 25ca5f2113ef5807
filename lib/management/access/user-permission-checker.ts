import { Injectable } from '@nestjs/common';
import type { HttpRequest } from '../http/http-request.js';
import { PermissionChecker, type PermissionQuery } from './permission-checker.js';

/** Permits what `request.user.permissions` contains, an array, a Set, or a string with spaces between permissions. */
@Injectable()
export class UserPermissionChecker extends PermissionChecker {
  override isPermitted({ permission, request }: PermissionQuery): boolean {
    return permissionsOf(request).includes(permission);
  }
}

function permissionsOf({ user }: HttpRequest): readonly unknown[] {
  const given = typeof user === 'object' && user !== null && 'permissions' in user ? user.permissions : [];
  if (typeof given === 'string') {
    return given.split(' ');
  }
  return Array.isArray(given) ? given : given instanceof Set ? [...given] : [];
}
