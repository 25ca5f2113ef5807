import { OperationUnknownError } from '../management.errors.js';
import type { Door } from './door.js';

/** Where the path of no operation leads. */
export const unknownDoor: Door = {
  read() {
    throw new OperationUnknownError('There is no such resource or action.');
  },
  peek: () => undefined,
};
