import { AUDIT_SORT_FIELDS } from '../../storage/index.js';
import { permission } from '../access/requirement.js';
import { auditSearchShape } from '../input/audit.shapes.js';
import { auditRecordSchema, pageSchema } from './answers.js';
import { pagedOperation, type Operation } from './operation.js';

/** Everything that can be done with the audit trail. */
export const AUDIT_OPERATIONS: readonly Operation[] = [
  pagedOperation({
    resource: 'sys/cron/audit',
    requires: permission('cron.audit.query'),
    action: 'find_page',
    params: auditSearchShape,
    sortFields: AUDIT_SORT_FIELDS,
    handle: ({ audit }, params, page) => audit.findPage(params, page),
    documentation: {
      summary: 'Finds records of the audit trail page by page, the newest first.',
      data: pageSchema(auditRecordSchema),
      errors: [2706],
      examples: [
        { summary: 'The newest', code: 0 },
        {
          summary: 'What somebody was denied',
          params: { actorId: 'u-1', outcome: 'denied' },
          meta: { sort: { field: 'atUnixMs', direction: 'desc' } },
          code: 0,
        },
      ],
    },
  }),
];
