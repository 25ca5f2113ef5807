import { jsonBodyOf } from '../http/json-body.js';
import { anyJson, readShape } from '../input/field.js';
import type { Operation } from '../operations/operation.js';
import type { Door } from './door.js';

const bodyShape = {
  params: anyJson({ description: 'What the action works with.' }),
  meta: anyJson({ description: 'Which page.' }),
};

/** The door of one action, with a route of its own: its body is `{ params?, meta? }`. */
export function actionDoor(operation: Operation): Door {
  return {
    read(request) {
      const { params, meta } = readShape(bodyShape, jsonBodyOf(request), 'the body');
      return { operation, params, meta };
    },
    peek: () => operation,
  };
}
