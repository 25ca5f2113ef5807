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
                <TargetLink record={record} target={record.target} />
              </p>
            )}
            <AuditDiff record={record} />
          </details>
        </li>
      ))}
    </ul>
  );
}

interface TargetLinkProps {
  readonly record: AuditRecord;
  readonly target: string;
}

/** Leads to what was acted on: actions on a run name that, all others a schedule. */
function TargetLink({ record: { resource, action }, target }: TargetLinkProps) {
  const isRun = resource === 'sys/cron/run' && action !== 'cancel_all';
  return (
    <a href={href([isRun ? 'runs' : 'schedules', target])}>
      Open the {isRun ? 'run' : 'schedule'} {target}
    </a>
  );
}
