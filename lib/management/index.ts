export { ActorResolver } from './access/actor-resolver.js';
export {
  PermissionChecker,
  type PermissionQuery,
  type PermissionTarget,
} from './access/permission-checker.js';
export type { HttpRequest } from './http/http-request.js';
export { withManagement } from './management.mount.js';
export { resolveManagement, type ManagementExtras, type ManagementOptions } from './management.options.js';
