import type { ListedSchedule, RunSummary } from '../api/answers.js';
import { useMay } from '../state/access.js';
import { href, replaceQuery, type Route } from '../state/route.js';
import { ScheduleActions } from './schedule-actions.js';
import { OutcomeStrip, ScheduleBadges, StatusBadge } from './status.js';
import { Countdown, Instant } from './time.js';
import { triggerOf, triggerText } from './trigger-text.js';

interface ScheduleTableProps {
  readonly route: Route;
  readonly schedules: readonly ListedSchedule[];
  readonly runs: ReadonlyMap<string, readonly RunSummary[]>;
  readonly onChanged: () => void;
}

export function ScheduleTable({ route, schedules, runs, onChanged }: ScheduleTableProps) {
  const may = useMay();
  const canAct = ['pause', 'resume', 'trigger_now'].some((action) => may(`schedule/${action}`));
  return (
    <table class="table">
      <thead>
        <tr>
          <SortHeader route={route} field="name" label="Schedule" />
          <SortHeader route={route} field="nextFireAtUnixMs" label="Next fire" />
          {may('run/find_latest') && <SortHeader route={route} field="lastFireAtUnixMs" label="Last runs" />}
          {canAct && (
            <th scope="col" class="wide-only">
              Actions
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {schedules.map((schedule) => (
          <tr key={schedule.id}>
            <th scope="row">
              <a class="row-title" href={href(['schedules', schedule.name])}>
                {schedule.name}
              </a>{' '}
              <ScheduleBadges schedule={schedule} />
              <div class="row-detail">{triggerText(triggerOf(schedule))}</div>
              <div class="row-detail wide-only">
                Job <code>{schedule.jobName}</code>
              </div>
            </th>
            <td>
              <NextFire schedule={schedule} />
            </td>
            {may('run/find_latest') && (
              <td>
                <LastRuns runs={runs.get(schedule.id) ?? []} />
              </td>
            )}
            {canAct && (
              <td class="wide-only">
                <ScheduleActions schedule={schedule} onChanged={onChanged} />
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function NextFire({ schedule }: { readonly schedule: ListedSchedule }) {
  const { state, nextFireAtUnixMs, timezone } = schedule;
  if (state !== 'armed' || nextFireAtUnixMs === undefined) {
    return <span class="muted">—</span>;
  }
  return (
    <>
      <Countdown at={nextFireAtUnixMs} zone={timezone} />
      <div class="row-detail">
        <Instant at={nextFireAtUnixMs} zone={timezone} />
      </div>
    </>
  );
}

function LastRuns({ runs }: { readonly runs: readonly RunSummary[] }) {
  const [last] = runs;
  return (
    <>
      <OutcomeStrip runs={runs} />
      {last !== undefined && (
        <div class="row-detail">
          <a class="badge-link" href={href(['runs', last.id])}>
            <StatusBadge status={last.status} />
          </a>{' '}
          <Countdown at={last.claimedAtUnixMs} />
        </div>
      )}
    </>
  );
}

interface SortHeaderProps {
  readonly route: Route;
  readonly field: string;
  readonly label: string;
}

function SortHeader({ route, field, label }: SortHeaderProps) {
  const isSorted = (route.query.get('sort') ?? 'name') === field;
  const isDescending = route.query.get('direction') === 'desc';
  const sort = () =>
    replaceQuery(route, {
      sort: field,
      direction: isSorted && !isDescending ? 'desc' : 'asc',
      page: undefined,
    });
  return (
    <th scope="col" aria-sort={isSorted ? (isDescending ? 'descending' : 'ascending') : 'none'}>
      <button type="button" class="sort" onClick={sort}>
        {label}
        <span aria-hidden="true">{isSorted ? (isDescending ? ' ↓' : ' ↑') : ''}</span>
      </button>
    </th>
  );
}
