import type { JsonSchema } from '../input/json-schema.js';
import type { ManagementRoute } from '../management.controllers.js';
import { documentAction, documentEnvelope, type RouteDocumentation } from './route-documentation.js';

/**
 * Documents the routes for `SwaggerModule.createDocument`, where the application has @nestjs/swagger; where it has not,
 * nothing happens. Awaited while the application is created, so that it is done before the document is made.
 *
 * @param path of the API, by which the ids of the operations of two stores differ.
 */
export async function documentRoutes(routes: readonly ManagementRoute[], path: string): Promise<void> {
  const swagger = await importSwagger();
  if (swagger === undefined) {
    return;
  }
  const { ApiBody, ApiExcludeEndpoint, ApiOperation, ApiResponse, ApiTags } = swagger;
  const decoratorsOf = (route: ManagementRoute): readonly MethodDecorator[] => {
    const { purpose, method } = route;
    if (purpose === 'unknown') {
      return [ApiExcludeEndpoint()];
    }
    const documentation = purpose === 'envelope' ? documentEnvelope() : documentAction(purpose);
    const { summary, description, body, examples } = documentation;
    const operationId = [idOf(path), ...tagOf(route).split('/'), method]
      .filter((part) => part !== '')
      .join('_');
    return [
      ApiOperation({ operationId, summary, description }),
      ApiBody({ schema: body, examples: { ...examples } }),
      ...responsesOf(documentation).map((response) => ApiResponse(response)),
    ];
  };
  for (const route of routes) {
    const { controller, method } = route;
    const prototype = controller.prototype as object;
    const descriptor = Object.getOwnPropertyDescriptor(prototype, method) ?? {};
    decoratorsOf(route).forEach((decorate) => decorate(prototype, method, descriptor));
  }
  for (const [controller, tag] of new Map(routes.map((route) => [route.controller, tagOf(route)]))) {
    ApiTags(tag)(controller);
  }
}

/**
 * A path as the beginning of ids: `_` for a slash, and its code for what would be taken for one. No two paths have the same,
 * so that `a/b` and `a_b` can be documented side by side.
 */
function idOf(path: string): string {
  return path
    .replaceAll(/_|(?<=\/)\//g, (character) => `__${character.charCodeAt(0).toString(16)}`)
    .replaceAll('/', '_');
}

/** Lazily, since it is an optional peer. */
async function importSwagger() {
  try {
    return await import('@nestjs/swagger');
  } catch {
    return undefined;
  }
}

/** What the routes of a controller are listed under. */
function tagOf({ purpose }: ManagementRoute): string {
  return typeof purpose === 'string' ? 'sys/cron' : purpose.resource;
}

/** What a route answers with, by HTTP status. */
function responsesOf({ data }: RouteDocumentation) {
  const refusal = answerSchema({ nullable: true, description: '`null`.' });
  return [
    {
      status: 200,
      description:
        'Success, with the code 0, or an error in the course of business, with its code and no data.',
      schema: answerSchema({ ...data, nullable: true }),
    },
    { status: 400, description: '1400: the request is not JSON of this shape.', schema: refusal },
    { status: 401, description: '1000: nobody is authenticated.', schema: refusal },
    { status: 403, description: '1100: not permitted, or from a page of a foreign origin.', schema: refusal },
    { status: 404, description: '1200: no such resource or action, or the store is off.', schema: refusal },
    { status: 500, description: '1900: anything unexpected.', schema: refusal },
  ];
}

function answerSchema(data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    properties: {
      code: { type: 'integer', description: '0 is success.' },
      message: { type: 'string', description: 'For people: what to change.' },
      data,
    },
    required: ['code', 'message', 'data'],
  };
}
