import { useContext } from 'preact/hooks';
import type { Run, RunSummary } from '../api/answers.js';
import { call } from '../api/client.js';
import { Facts } from '../components/facts.js';
import { ErrorMessage, Loaded } from '../components/messages.js';
import { RunActions } from '../components/run-actions.js';
import { StatusBadge } from '../components/status.js';
import { counted, dateTimeText, durationText, optionalDateTimeText } from '../components/texts.js';
import { Countdown } from '../components/time.js';
import { AccessContext } from '../state/access.js';
import { href } from '../state/route.js';
import { useScheduleAccess } from '../state/schedule-access.js';
import { usePolled } from '../state/use-polled.js';

interface Found {
  readonly run: Run;
  readonly attempts: readonly RunSummary[];
}

const INTERVAL_MS = 3_000;

/** One run: how it ended, and why. */
export function RunScreen({ id }: { readonly id: string }) {
  const polled = usePolled(
    id,
    async (signal): Promise<Found> => {
      const [run, attempts] = await Promise.all([
        call<Run>('run/find_one', { id }, { signal }),
        call<readonly RunSummary[]>('run/find_attempts', { id }, { signal }),
      ]);
      return { run, attempts };
    },
    INTERVAL_MS,
  );
  return (
    <Loaded polled={polled}>
      {({ run, attempts }) => <RunDetail run={run} attempts={attempts} onChanged={polled.reload} />}
    </Loaded>
  );
}

function RunDetail({ run, attempts, onChanged }: Found & { readonly onChanged: () => void }) {
  const general = useContext(AccessContext);
  const { access, error } = useScheduleAccess(run.scheduleName);
  return (
    <AccessContext.Provider value={access ?? general}>
      <div class="title-row">
        <div>
          <p class="row-detail">
            Run of <a href={href(['schedules', run.scheduleName])}>{run.scheduleName}</a>
          </p>
          <h1>
            {dateTimeText(run.scheduledAtUnixMs)} <StatusBadge status={run.status} />
          </h1>
        </div>
        <RunActions run={run} onChanged={onChanged} />
      </div>
      <ErrorMessage error={error} />
      {run.error !== undefined && (
        <section>
          <h2 class="visually-hidden">Error</h2>
          <pre class="code block block-error" tabIndex={0} aria-label="Error">
            {run.error}
          </pre>
        </section>
      )}
      <section class="section">
        <h2>Facts</h2>
        <Facts facts={factsOf(run)} />
      </section>
      <section class="section">
        <h2>Attempts</h2>
        <ol class="lines">
          {attempts.map((attempt) => (
            <li key={attempt.id} aria-current={attempt.id === run.id ? 'true' : undefined}>
              <span>
                <a class="badge-link" href={href(['runs', attempt.id])}>
                  <StatusBadge status={attempt.status} />
                  <span class="visually-hidden"> attempt {attempt.attempt}</span>
                </a>{' '}
                {attempt.id === run.id ? 'this run' : attempt.origin}, attempt {attempt.attempt}
              </span>
              <span class="row-detail">
                <Countdown at={attempt.claimedAtUnixMs} />
              </span>
            </li>
          ))}
        </ol>
      </section>
    </AccessContext.Provider>
  );
}

function factsOf(run: Run): readonly (readonly [string, string | undefined])[] {
  return [
    ['Job', run.jobName],
    ['Origin', run.origin],
    ['Reason', run.reason?.replaceAll('_', ' ')],
    ['Scheduled for', optionalDateTimeText(run.scheduledAtUnixMs)],
    ['Claimed', optionalDateTimeText(run.claimedAtUnixMs)],
    ['Started', optionalDateTimeText(run.startedAtUnixMs)],
    ['Finished', optionalDateTimeText(run.finishedAtUnixMs)],
    ['Duration', run.durationMs === undefined ? undefined : durationText(run.durationMs)],
    ['Node', run.nodeId],
    ['Asked for by', run.createdBy],
    ['Canceled by', run.canceledBy],
    ['Covers', run.missedCount > 0 ? counted(run.missedCount, 'occurrence') : undefined],
    ['Idempotency key', run.idempotencyKey],
    ['Run id', run.id],
  ];
}
