import type { DynamicModule, Provider } from '@nestjs/common';
import { MANAGEMENT_PATH } from '../stores.js';
import { ActorResolver } from './access/actor-resolver.js';
import { Authentication } from './access/authentication.js';
import { PermissionChecker } from './access/permission-checker.js';
import { Permissions } from './access/permissions.js';
import { UserActorResolver } from './access/user-actor-resolver.js';
import { UserPermissionChecker } from './access/user-permission-checker.js';
import { createManagementControllers } from './management.controllers.js';
import { type ManagementExtras, type ResolvedManagement, resolveManagement } from './management.options.js';
import { MANAGEMENT_DOCUMENTATION, MANAGEMENT_OPTIONS } from './management.tokens.js';
import { documentRoutes } from './open-api/document-routes.js';
import { ManagementResources } from './operations/management-resources.js';
import { AnonymousAttempts } from './pipeline/anonymous-attempts.js';
import { Arrivals } from './pipeline/arrivals.js';
import { AttemptRecorder } from './pipeline/attempt.recorder.js';
import { ManagementGuard } from './pipeline/management.guard.js';
import { OperationDispatcher } from './pipeline/operation.dispatcher.js';
import { PermittedCalls } from './pipeline/permitted-calls.js';
import { StoreEnabledGuard } from './pipeline/store-enabled.guard.js';
import { AccessResource } from './resources/access.resource.js';
import { AuditResource } from './resources/audit.resource.js';
import { BackfillResource } from './resources/backfill.resource.js';
import { HoldResource } from './resources/hold.resource.js';
import { NodeResource } from './resources/node.resource.js';
import { RunControlResource } from './resources/run-control.resource.js';
import { RunResource } from './resources/run.resource.js';
import { RunStatisticsResource } from './resources/run-statistics.resource.js';
import { ScheduleResource } from './resources/schedule.resource.js';
import { UpcomingResource } from './resources/upcoming.resource.js';

/** Adds the management API to the module of a store, unless it is not wanted. */
export function withManagement(
  module: DynamicModule,
  management: ManagementExtras['management'] = {},
): DynamicModule {
  if (management === false) {
    return module;
  }
  const options = resolveManagement(management);
  const { controllers, routes } = createManagementControllers(options);
  // A provider that nobody injects, because the application waits for it.
  const documentation = {
    provide: MANAGEMENT_DOCUMENTATION,
    useFactory: () => documentRoutes(routes, options.path),
  };
  return {
    ...module,
    imports: [...(module.imports ?? []), ...options.imports],
    controllers: [...(module.controllers ?? []), ...controllers],
    providers: [...(module.providers ?? []), ...providersOf(options), documentation],
  };
}

function providersOf(options: ResolvedManagement): readonly Provider[] {
  return [
    { provide: MANAGEMENT_OPTIONS, useValue: options },
    { provide: MANAGEMENT_PATH, useValue: options.path },
    { provide: PermissionChecker, useClass: options.permissionChecker ?? UserPermissionChecker },
    { provide: ActorResolver, useClass: options.actorResolver ?? UserActorResolver },
    Authentication,
    Permissions,
    ScheduleResource,
    BackfillResource,
    HoldResource,
    RunResource,
    RunStatisticsResource,
    UpcomingResource,
    RunControlResource,
    NodeResource,
    AuditResource,
    AccessResource,
    ManagementResources,
    PermittedCalls,
    OperationDispatcher,
    AnonymousAttempts,
    Arrivals,
    AttemptRecorder,
    StoreEnabledGuard,
    ManagementGuard,
  ];
}
