import {
  Controller,
  HttpCode,
  Inject,
  Post,
  Req,
  SetMetadata,
  type Type,
  UseFilters,
  UseGuards,
  VERSION_NEUTRAL,
} from '@nestjs/common';
import { actionDoor } from './doors/action.door.js';
import type { Door } from './doors/door.js';
import { envelopeDoor } from './doors/envelope.door.js';
import { unknownDoor } from './doors/unknown.door.js';
import type { ResolvedManagement } from './management.options.js';
import type { Operation } from './operations/operation.js';
import { OPERATIONS } from './operations/operations.js';
import { DOOR } from './pipeline/door.metadata.js';
import { exceptionFilterOf } from './pipeline/management-exception.filter.js';
import { ManagementGuard } from './pipeline/management.guard.js';
import { OperationDispatcher, type SuccessAnswer } from './pipeline/operation.dispatcher.js';
import { StoreEnabledGuard } from './pipeline/store-enabled.guard.js';

/** A route of a mounted API. */
export interface ManagementRoute {
  readonly controller: Type;
  readonly method: string;
  /** What it is for: one operation, all of them by their envelope, or what is no operation. */
  readonly purpose: Operation | 'envelope' | 'unknown';
}

/** The controllers of one mounted API. */
export interface ManagementControllers {
  readonly controllers: readonly Type[];
  readonly routes: readonly ManagementRoute[];
}

/**
 * Makes the controllers of an API: one for each resource with a route for each action, and one for the envelope. They
 * are classes of their own for every mount, because a path and guards are metadata of a class, which two stores in a
 * process must not share.
 */
export function createManagementControllers(options: ResolvedManagement): ManagementControllers {
  const resources = [...new Set(OPERATIONS.map(({ resource }) => resource))];
  const made = [
    ...resources.map((resource) => resourceController(options, resource)),
    envelopeController(options),
  ];
  return {
    controllers: made.map(({ controller }) => controller),
    routes: made.flatMap(({ routes }) => routes),
  };
}

interface MadeController {
  readonly controller: Type;
  readonly routes: readonly ManagementRoute[];
}

function resourceController(options: ResolvedManagement, resource: string): MadeController {
  const controller = createController(options, resource);
  const operations = OPERATIONS.filter((operation) => operation.resource === resource);
  return {
    controller,
    routes: operations.map((operation) => {
      const method = addRoute(controller, operation.action, actionDoor(operation));
      return { controller, method, purpose: operation };
    }),
  };
}

function envelopeController(options: ResolvedManagement): MadeController {
  const controller = createController(options, '');
  const envelope = addRoute(controller, '', envelopeDoor);
  // The last of the routes: what none of the others is.
  const unknown = addRoute(controller, 'sys/cron/:resource/:action', unknownDoor);
  return {
    controller,
    routes: [
      { controller, method: envelope, purpose: 'envelope' },
      { controller, method: unknown, purpose: 'unknown' },
    ],
  };
}

function createController({ path, guards }: ResolvedManagement, resource: string): Type {
  @Controller({ path: [path, resource].filter((part) => part !== '').join('/'), version: VERSION_NEUTRAL })
  @UseGuards(StoreEnabledGuard, ...guards, ManagementGuard)
  class ManagementController {
    constructor(@Inject(OperationDispatcher) readonly dispatcher: OperationDispatcher) {}
  }
  return ManagementController;
}

/** Adds a method that answers `POST <path of the controller>/<path>`. */
function addRoute(controller: Type, path: string, door: Door): string {
  const method = path === '' ? 'call' : path.replaceAll(/\W+/g, '_');
  const descriptor: TypedPropertyDescriptor<unknown> = {
    value(this: { readonly dispatcher: OperationDispatcher }, request: object): Promise<SuccessAnswer> {
      return this.dispatcher.answer(request);
    },
    configurable: true,
  };
  const prototype = controller.prototype as object;
  Object.defineProperty(prototype, method, descriptor);
  for (const decorate of [
    Post(path),
    HttpCode(200),
    SetMetadata(DOOR, door),
    UseFilters(exceptionFilterOf(door)),
  ]) {
    decorate(prototype, method, descriptor);
  }
  // The request itself, and nothing that a pipe of the application could change.
  Req()(prototype, method, 0);
  return method;
}
