import { type CanActivate, type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { definedFields, type Actor } from '../../schedules/index.js';
import { Authentication } from '../access/authentication.js';
import { Permissions } from '../access/permissions.js';
import type { Door, OperationRequest } from '../doors/door.js';
import { type HttpRequest, requestFactsOf } from '../http/http-request.js';
import { isCrossSite } from '../http/origin.js';
import { NotAuthenticatedError, NotPermittedError } from '../management.errors.js';
import type { ResolvedManagement } from '../management.options.js';
import { MANAGEMENT_OPTIONS } from '../management.tokens.js';
import { ManagementResources } from '../operations/management-resources.js';
import { DOOR } from './door.metadata.js';
import { PermittedCalls } from './permitted-calls.js';

/**
 * Lets a request pass when somebody is known to make it, from no foreign page, for an operation whose declared
 * permission they have. Runs after the application's own guards, and for both doors.
 *
 * Permission comes before any other check of the input, so that who may not do a thing learns nothing about it.
 */
@Injectable()
export class ManagementGuard implements CanActivate {
  constructor(
    @Inject(MANAGEMENT_OPTIONS) private readonly options: ResolvedManagement,
    private readonly reflector: Reflector,
    private readonly authentication: Authentication,
    private readonly permissions: Permissions,
    private readonly resources: ManagementResources,
    private readonly calls: PermittedCalls,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<HttpRequest>();
    const actor = await this.authentication.actorOf(request);
    if (actor === undefined) {
      throw new NotAuthenticatedError();
    }
    if (isCrossSite(request, this.options.trustedOrigins)) {
      throw new NotPermittedError('The request comes from a page of an origin that is not trusted.');
    }
    const asked = this.doorOf(context).read(request);
    await this.requirePermission(asked, actor, request);
    const { operation, params, meta } = asked;
    const origin = { actor, request: requestFactsOf(request) };
    this.calls.permit(request, { operation, input: { params, meta, origin, request } });
    return true;
  }

  private doorOf(context: ExecutionContext): Door {
    const door = this.reflector.get<Door | undefined>(DOOR, context.getHandler());
    if (door === undefined) {
      throw new NotPermittedError('The route declares no permission, so that nobody may use it.');
    }
    return door;
  }

  private async requirePermission(
    asked: OperationRequest,
    actor: Actor,
    request: HttpRequest,
  ): Promise<void> {
    const { requires, resource, action, targetOf } = asked.operation;
    const params = asked.params;
    const target = isRecord(params) ? await targetOf?.(this.resources, params) : undefined;
    await this.permissions.demand({
      actor,
      requires,
      resource,
      action,
      ...definedFields({ target }),
      request,
    });
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
