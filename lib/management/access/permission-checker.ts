import type { Actor } from '../../schedules/index.js';
import type { HttpRequest } from '../http/http-request.js';

/** What an action is about. Neither list is ever empty, so that a rule about all of them is never true of none. */
export interface PermissionTarget {
  /** The schedule's name as it is addressed; where it is renamed, the new name too. */
  readonly scheduleNames: readonly [string, ...string[]];
  /** The job that the schedule has when the permission is asked for, and the one that it is to have. */
  readonly jobNames: readonly [string, ...string[]];
}

/** May this actor do that? */
export interface PermissionQuery {
  /** The name of the store that is asked; `'default'` is the unnamed one. */
  readonly store: string;
  /** Who asks: what the `ActorResolver` answered. */
  readonly actor: Actor;
  /** The permission that the action declares, such as `cron.schedule.manage`. */
  readonly permission: string;
  /** Such as `sys/cron/schedule`. */
  readonly resource: string;
  /** Such as `trigger_now`. */
  readonly action: string;
  /**
   * Absent where the action is about all of a resource (`find_page`) or about all schedules of a job or of the store
   * (`hold`), about nothing stored (`preview_fires`), or about a schedule or run that there is not: permit it then only
   * to who may do it to every schedule.
   */
  readonly target?: PermissionTarget;
  /** The request as the adapter has it, with what the application's guards put there. */
  readonly request: HttpRequest;
}

/**
 * Decides who may do what through the management API. Implement it to plug in an RBAC, and name the class in the option
 * `management.permissionChecker`. The default looks the permission up in `request.user.permissions`.
 */
export abstract class PermissionChecker {
  /**
   * Only `true` permits. An error denies too: it is logged, and answered with 500.
   */
  abstract isPermitted(query: PermissionQuery): boolean | Promise<boolean>;
}
