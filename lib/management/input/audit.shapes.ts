import { AUDIT_OUTCOMES } from '../../schedules/index.js';
import { integer, text, type Shape } from './field.js';

/** Which records of the audit trail to find. */
export const auditSearchShape = {
  actorId: text({ description: 'Who did it, by id.' }),
  resource: text({ description: 'What was acted on.', example: 'sys/cron/schedule' }),
  action: text({ description: 'What was attempted.', example: 'update' }),
  target: text({
    description:
      'The schedule, by a name that it has or had: what is on record under its other names is found too. Or a run, by its id.',
    example: 'nightly-report',
  }),
  outcome: text({ description: 'How it ended.', enum: [...AUDIT_OUTCOMES] }),
  atFromUnixMs: integer({ description: 'Earliest time, inclusive.' }),
  atToUnixMs: integer({ description: 'Latest time, inclusive.' }),
} satisfies Shape;
