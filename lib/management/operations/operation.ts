import type { Actor, RequestFacts } from '../../schedules/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import type { Requirement } from '../access/requirement.js';
import type { HttpRequest } from '../http/http-request.js';
import { readShape, type Shape, type Shaped } from '../input/field.js';
import type { JsonSchema } from '../input/json-schema.js';
import { pageMetaShape, readNoMeta, readPageMeta, type PageRequest } from '../input/page-meta.js';
import type { UncheckedParams } from '../input/unchecked-params.js';
import type { OperationExample } from './example.js';
import type { ManagementResources } from './management-resources.js';

/** Who asks, and in which request. */
export interface Origin {
  readonly actor: Actor;
  readonly request: RequestFacts;
}

/** What an operation gets, as the client sent it. */
export interface OperationInput {
  readonly params: unknown;
  readonly meta: unknown;
  readonly origin: Origin;
  /** The request itself, for who asks whom they are to the application. */
  readonly request: HttpRequest;
}

/** An operation of the management API: an action on a resource, and what it takes to be allowed it. */
export interface Operation {
  /** Such as `sys/cron/schedule`. */
  readonly resource: string;
  /** Such as `find_page`. */
  readonly action: string;
  /** What it takes to be allowed it. */
  readonly requires: Requirement;
  /** Whether it changes something, so that every attempt is audited. */
  readonly mutates: boolean;
  readonly paramsShape: Shape;
  readonly metaShape: Shape;
  readonly documentation: OperationDocumentation;
  /** Reads from unchecked params what the permission is asked for; absent where it is about nothing in particular. */
  readonly targetOf?:
    | ((
        resources: ManagementResources,
        params: UncheckedParams,
      ) => Promise<PermissionTarget | undefined> | PermissionTarget | undefined)
    | undefined;
  /** Checks the input, does the work, and answers with the `data` of a success. */
  answer(resources: ManagementResources, input: OperationInput): Promise<unknown>;
}

/** What is said about an operation beside its input. */
export interface OperationDocumentation {
  readonly summary: string;
  /** The `data` of a success. */
  readonly data: JsonSchema;
  /** Codes of the business errors that it can answer with. */
  readonly errors: readonly number[];
  readonly examples: readonly OperationExample[];
}

interface Declaration<S extends Shape> extends Pick<
  Operation,
  'resource' | 'action' | 'requires' | 'documentation' | 'targetOf'
> {
  readonly params: S;
}

/** Declares an operation that answers with one thing; its handler gets params of the declared shape. */
export function operation<S extends Shape>(
  declaration: Declaration<S> & {
    readonly mutates: boolean;
    readonly handle: (
      resources: ManagementResources,
      params: Shaped<S>,
      origin: Origin,
      request: HttpRequest,
    ) => unknown;
  },
): Operation {
  const { params: paramsShape, handle, ...declared } = declaration;
  return {
    ...declared,
    paramsShape,
    metaShape: {},
    async answer(resources, { params, meta, origin, request }) {
      readNoMeta(meta);
      return handle(resources, readShape(paramsShape, params ?? {}, 'params'), origin, request);
    },
  };
}

/** Declares an operation that answers with a page, sorted by the first of `sortFields` unless asked otherwise. */
export function pagedOperation<S extends Shape, SortField extends string>(
  declaration: Declaration<S> & {
    readonly sortFields: readonly SortField[];
    readonly handle: (
      resources: ManagementResources,
      params: Shaped<S>,
      page: PageRequest<SortField>,
    ) => Promise<unknown>;
  },
): Operation {
  const { params: paramsShape, sortFields, handle, ...declared } = declaration;
  return {
    ...declared,
    mutates: false,
    paramsShape,
    metaShape: pageMetaShape(sortFields),
    async answer(resources, { params, meta }) {
      const page = readPageMeta(meta, sortFields);
      return handle(resources, readShape(paramsShape, params ?? {}, 'params'), page);
    },
  };
}
