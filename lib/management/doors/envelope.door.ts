import { jsonBodyOf } from '../http/json-body.js';
import { memberOf } from '../http/member-of.js';
import { anyJson, readShape, required, text } from '../input/field.js';
import { OperationUnknownError } from '../management.errors.js';
import { findOperation } from '../operations/operations.js';
import type { Door } from './door.js';

/** The one version of the API there is. */
const VERSION = 'v1';

/** The fields of the envelope. */
export const envelopeShape = {
  resource: required(text({ description: 'The resource.', example: 'sys/cron/schedule' })),
  action: required(text({ description: 'The action.', example: 'get' })),
  version: text({ description: 'The version of the API.', enum: [VERSION], default: VERSION }),
  params: anyJson({ description: 'What the action works with.' }),
  meta: anyJson({ description: 'Which page.' }),
};

/** The one door to every operation, which the body `{ resource, action, version?, params?, meta? }` names. */
export const envelopeDoor: Door = {
  read(request) {
    const {
      resource,
      action,
      version = VERSION,
      params,
      meta,
    } = readShape(envelopeShape, jsonBodyOf(request), 'the body');
    const operation = findOperation(resource, action);
    if (operation === undefined || version !== VERSION) {
      throw new OperationUnknownError('There is no such resource, action or version.');
    }
    return { operation, params, meta };
  },
  peek({ body }) {
    const resource = memberOf(body, 'resource');
    const action = memberOf(body, 'action');
    return typeof resource === 'string' && typeof action === 'string'
      ? findOperation(resource, action)
      : undefined;
  },
};
