import type { Run } from '../api/answers.js';
import { href } from '../state/route.js';
import { StatusBadge } from './status.js';
import { counted, durationText } from './texts.js';
import { Countdown, Instant } from './time.js';

interface RunTableProps {
  readonly runs: readonly Run[];
  /** Whether all of them are of one schedule, which then need not be named. */
  readonly isOfOneSchedule?: boolean;
}

/** Runs of the journal. */
export function RunTable({ runs, isOfOneSchedule = false }: RunTableProps) {
  return (
    <table class="table">
      <thead>
        <tr>
          <th scope="col">Run</th>
          {!isOfOneSchedule && <th scope="col">Schedule</th>}
          <th scope="col">Claimed</th>
          <th scope="col" class="wide-only">
            Duration
          </th>
          <th scope="col" class="wide-only">
            Node
          </th>
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <tr key={run.id}>
            <th scope="row">
              <a class="badge-link" href={href(['runs', run.id])}>
                <StatusBadge status={run.status} />
                <span class="visually-hidden"> run of {run.scheduleName}</span>
              </a>
              <div class="row-detail">{factsOf(run)}</div>
              {run.error !== undefined && <div class="row-detail row-error">{run.error}</div>}
            </th>
            {!isOfOneSchedule && (
              <td>
                <a class="row-title" href={href(['schedules', run.scheduleName])}>
                  {run.scheduleName}
                </a>
                <div class="row-detail">
                  <code>{run.jobName}</code>
                </div>
              </td>
            )}
            <td>
              <Countdown at={run.claimedAtUnixMs} />
              <div class="row-detail">
                for <Instant at={run.scheduledAtUnixMs} />
              </div>
            </td>
            <td class="wide-only">{run.durationMs === undefined ? '—' : durationText(run.durationMs)}</td>
            <td class="wide-only row-detail">{run.nodeId ?? '—'}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function factsOf({ origin, attempt, missedCount, reason }: Run): string {
  return [
    origin === 'schedule' ? '' : origin,
    attempt > 1 ? `attempt ${attempt}` : '',
    missedCount > 0 ? counted(missedCount, 'occurrence') : '',
    reason === undefined ? '' : reason.replaceAll('_', ' '),
  ]
    .filter((fact) => fact !== '')
    .join(' · ');
}
