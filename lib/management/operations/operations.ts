import { ACCESS_OPERATIONS } from './access.operations.js';
import { AUDIT_OPERATIONS } from './audit.operations.js';
import { BACKFILL_OPERATIONS } from './backfill.operations.js';
import { HOLD_OPERATIONS } from './hold.operations.js';
import { NODE_OPERATIONS } from './node.operations.js';
import type { Operation } from './operation.js';
import { RUN_OPERATIONS } from './run.operations.js';
import { SCHEDULE_OPERATIONS } from './schedule.operations.js';
import { STATISTICS_OPERATIONS } from './statistics.operations.js';

/** The management API: both doors, the permissions, the audit trail and the documentation follow from this table. */
export const OPERATIONS: readonly Operation[] = [
  ...SCHEDULE_OPERATIONS,
  ...BACKFILL_OPERATIONS,
  ...HOLD_OPERATIONS,
  ...RUN_OPERATIONS,
  ...STATISTICS_OPERATIONS,
  ...NODE_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...ACCESS_OPERATIONS,
];

/** The operation of a resource and an action, if there is one. */
export function findOperation(resource: string, action: string): Operation | undefined {
  return OPERATIONS.find((operation) => operation.resource === resource && operation.action === action);
}
