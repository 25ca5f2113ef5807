import { useContext } from 'preact/hooks';
import type { AuditRecord, ListedSchedule, PageOf, Run, ScheduleDetail } from '../api/answers.js';
import { call } from '../api/client.js';
import { AuditList } from '../components/audit-list.js';
import { Facts } from '../components/facts.js';
import { HeatMap } from '../components/heat-map.js';
import { writeJson } from '../components/json-text.js';
import { Empty, ErrorMessage, Loaded } from '../components/messages.js';
import { RunTable } from '../components/run-table.js';
import { ScheduleActions } from '../components/schedule-actions.js';
import { scheduleFacts } from '../components/schedule-facts.js';
import { ScheduleBadges } from '../components/status.js';
import { dateTimeText } from '../components/texts.js';
import { Countdown, Instant } from '../components/time.js';
import { triggerOf, triggerText } from '../components/trigger-text.js';
import { AccessContext, useMay } from '../state/access.js';
import { href, navigate } from '../state/route.js';
import { useScheduleAccess } from '../state/schedule-access.js';
import { usePolled } from '../state/use-polled.js';

const HISTORY_SIZE = 10;

/** One schedule: what it is, what it did, what it will do, and who changed it. */
export function ScheduleScreen({ name }: { readonly name: string }) {
  const general = useContext(AccessContext);
  const { access, error } = useScheduleAccess(name);
  const polled = usePolled(`schedule|${name}`, (signal) =>
    call<ScheduleDetail>('schedule/get', { name }, { signal }),
  );
  return (
    <AccessContext.Provider value={access ?? general}>
      <ErrorMessage error={error} />
      <Loaded polled={polled}>{(detail) => <Detail detail={detail} onChanged={polled.reload} />}</Loaded>
    </AccessContext.Provider>
  );
}

interface DetailProps {
  readonly detail: ScheduleDetail;
  readonly onChanged: () => void;
}

function Detail({ detail, onChanged }: DetailProps) {
  const { schedule } = detail;
  const may = useMay();
  return (
    <>
      <div class="title-row">
        <div>
          <h1>
            {schedule.name} <ScheduleBadges schedule={schedule} />
          </h1>
          <p class="row-detail">{triggerText(triggerOf(schedule))}</p>
        </div>
        <div class="actions">
          {may('schedule/patch') && (
            <a class="button-small" href={href(['schedules', schedule.name, 'edit'])}>
              Edit
            </a>
          )}
          <ScheduleActions
            schedule={schedule}
            onChanged={onChanged}
            onDeleted={() => navigate(['schedules'])}
          />
        </div>
      </div>
      <Obstacle schedule={schedule} />
      <div class="columns">
        <section class="section">
          <h2>Definition</h2>
          <Facts facts={scheduleFacts(schedule)} />
          {schedule.params !== undefined && (
            <>
              <h3 class="section-title">Params</h3>
              <pre class="code block" tabIndex={0} aria-label="Params">
                {writeJson(schedule.params)}
              </pre>
            </>
          )}
        </section>
        <Upcoming detail={detail} />
      </div>
      {may('run/count_by_time') && (
        <section class="section">
          <h2>The last year</h2>
          <HeatMap scheduleId={schedule.id} />
        </section>
      )}
      {may('run/find_page') && <History name={schedule.name} />}
      {may('audit/find_page') && <Changes name={schedule.name} />}
    </>
  );
}

/** What keeps it from firing, and what to do about it. */
function Obstacle({ schedule }: { readonly schedule: ListedSchedule }) {
  const {
    state,
    isEnabled,
    isOrphaned,
    isHeld,
    jobName,
    pausedBy,
    pausedAtUnixMs,
    pauseNote,
    pausedUntilUnixMs,
  } = schedule;
  return (
    <>
      {!isEnabled && (
        <p class="message message-warn">
          <span>
            Paused{pausedBy === undefined ? '' : ` by ${pausedBy}`}
            {pausedAtUnixMs === undefined ? '' : `, ${dateTimeText(pausedAtUnixMs)}`}
            {pausedUntilUnixMs === undefined ? '' : `, until ${dateTimeText(pausedUntilUnixMs)}`}
            {pauseNote === undefined ? '.' : `: ${pauseNote}`}
          </span>
        </p>
      )}
      {state === 'parked' && (
        <p class="message message-error">
          It could not be evaluated: {schedule.parkedReason} Edit it, or resume it to try again.
        </p>
      )}
      {state === 'spent' && (
        <p class="message">Its trigger has no further occurrence. Edit it to fire again.</p>
      )}
      {isOrphaned && (
        <p class="message message-warn">
          No live node registers the job {jobName}: start one, or edit the schedule to use another job.
        </p>
      )}
      {isHeld && (
        <p class="message message-warn">Its job, or the whole store, is held: nothing of it is claimed.</p>
      )}
    </>
  );
}

function Upcoming({ detail }: { readonly detail: ScheduleDetail }) {
  const { schedule, nextFiresUnixMs, nextFiresIfResumedUnixMs } = detail;
  const isPaused = schedule.state === 'paused';
  const fires = isPaused ? nextFiresIfResumedUnixMs : nextFiresUnixMs;
  return (
    <section class="section">
      <h2>{isPaused ? 'Next fires, if it were resumed now' : 'Next fires'}</h2>
      {fires.length === 0 ? (
        <Empty
          title={
            schedule.state === 'parked'
              ? 'It fires nothing until it can be evaluated.'
              : 'It does not fire any more.'
          }
        />
      ) : (
        <ol class="lines">
          {fires.map((at) => (
            <li key={at}>
              <Instant at={at} zone={schedule.timezone} />
              <span class="row-detail">
                <Countdown at={at} zone={schedule.timezone} />
              </span>
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

function History({ name }: { readonly name: string }) {
  const polled = usePolled(`history|${name}`, (signal) =>
    call<PageOf<Run>>('run/find_page', { scheduleName: name }, { signal, meta: { size: HISTORY_SIZE } }),
  );
  return (
    <section class="section">
      <div class="section-title">
        <h2>History</h2>
        <a href={href(['runs'], { schedule: name })}>All runs</a>
      </div>
      <Loaded polled={polled}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="It has not run yet." />
          ) : (
            <RunTable runs={items} isOfOneSchedule />
          )
        }
      </Loaded>
    </section>
  );
}

function Changes({ name }: { readonly name: string }) {
  const polled = usePolled(`changes|${name}`, (signal) =>
    call<PageOf<AuditRecord>>('audit/find_page', { target: name }, { signal, meta: { size: HISTORY_SIZE } }),
  );
  return (
    <section class="section">
      <div class="section-title">
        <h2>Changes</h2>
        <a href={href(['audit'], { target: name })}>All of its audit trail</a>
      </div>
      <Loaded polled={polled}>
        {({ items }) =>
          items.length === 0 ? (
            <Empty title="No change is on record under this name." />
          ) : (
            <AuditList records={items} isOfOneSchedule />
          )
        }
      </Loaded>
    </section>
  );
}
