import type { AuditRecord } from '../api/answers.js';
import { href } from '../state/route.js';
import { AuditDiff } from './audit-diff.js';
import { Instant } from './time.js';

const TONES = { success: 'good', failed: 'warn', denied: 'bad' } as const;

/** Records of the audit trail, each to open for what it changed. */
export function AuditList({
  records,
  isOfOneSchedule = false,
}: {
  readonly records: readonly AuditRecord[];
  readonly isOfOneSchedule?: boolean;
}) {
  return (
    <ul class="audit">
      {records.map((record) => (
        <li key={record.id}>
          <details>
            <summary>
              <span class={`badge tone-${TONES[record.outcome]}`}>{record.outcome}</span>{' '}
              <strong>{record.action.replaceAll('_', ' ')}</strong>{' '}
              {!isOfOneSchedule && record.target !== undefined && <span class="target">{record.target}</span>}{' '}
              <span class="row-detail">
                by {record.actorName ?? record.actorId ?? 'nobody in particular'},{' '}
                <Instant at={record.atUnixMs} />
                {record.code === 0 ? '' : ` · code ${record.code}`}
                {record.attempts > 1 ? ` · ${record.attempts} attempts` : ''}
              </span>
            </summary>
            {!isOfOneSchedule && record.target !== undefined && (
              <p>
                <a href={href(['schedules', record.target])}>Open {record.target}</a>
              </p>
            )}
            <AuditDiff record={record} />
          </details>
        </li>
      ))}
    </ul>
  );
}
