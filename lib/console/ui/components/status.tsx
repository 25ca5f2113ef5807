import type { ListedSchedule, RunStatus, RunSummary } from '../api/answers.js';
import { counted } from './texts.js';

/** What is said of a status: a word, a sign that tells it apart without colour, and a tone. */
const STATUSES: Readonly<Record<RunStatus, { readonly sign: string; readonly tone: string }>> = {
  running: { sign: '◌', tone: 'info' },
  succeeded: { sign: '✓', tone: 'good' },
  failed: { sign: '✕', tone: 'bad' },
  missed: { sign: '⊘', tone: 'warn' },
  skipped: { sign: '⤼', tone: 'mute' },
  abandoned: { sign: '!', tone: 'bad' },
  canceled: { sign: '■', tone: 'mute' },
};

export function StatusBadge({ status }: { readonly status: RunStatus }) {
  const { sign, tone } = STATUSES[status];
  return (
    <span class={`badge tone-${tone}`}>
      <span aria-hidden="true">{sign}</span> {status}
    </span>
  );
}

export function toneOf(status: RunStatus): string {
  return STATUSES[status].tone;
}

/** What keeps a schedule from firing, in words. Nothing for one that just waits for its time. */
export function ScheduleBadges({ schedule }: { readonly schedule: ListedSchedule }) {
  const { state, isEnabled, isOrphaned, isHeld, jobName, pauseNote, parkedReason } = schedule;
  return (
    <>
      {!isEnabled && (
        <span class="badge tone-warn" title={pauseNote ?? 'It does not fire until it is resumed.'}>
          paused
        </span>
      )}
      {state === 'spent' && (
        <span class="badge tone-mute" title="Its trigger has no further occurrence.">
          spent
        </span>
      )}
      {state === 'parked' && (
        <span class="badge tone-bad" title={parkedReason ?? 'Its row could not be evaluated.'}>
          parked
        </span>
      )}
      {isOrphaned && (
        <span class="badge tone-bad" title={`No live node registers the job ${jobName}.`}>
          orphaned
        </span>
      )}
      {isHeld && (
        <span class="badge tone-warn" title="Its job, or the whole store, is held.">
          held
        </span>
      )}
    </>
  );
}

const BAR_WIDTH = 4;
const BAR_STEP = 6;
const STRIP_HEIGHT = 18;
const STRIP_LENGTH = 20;

/** The last runs of a schedule, the newest at the right: a bar for each, lower ones for those that did not succeed. */
export function OutcomeStrip({ runs }: { readonly runs: readonly RunSummary[] }) {
  if (runs.length === 0) {
    return <span class="muted">no runs yet</span>;
  }
  const shown = runs.slice(0, STRIP_LENGTH).toReversed();
  const start = STRIP_LENGTH - shown.length;
  return (
    <svg
      class="strip"
      role="img"
      aria-label={summaryOf(shown)}
      width={STRIP_LENGTH * BAR_STEP}
      height={STRIP_HEIGHT}
      viewBox={`0 0 ${STRIP_LENGTH * BAR_STEP} ${STRIP_HEIGHT}`}
    >
      {Array.from({ length: start }, (_, index) => (
        <rect
          key={index}
          class="day-empty"
          x={index * BAR_STEP}
          y={STRIP_HEIGHT - 3}
          width={BAR_WIDTH}
          height={3}
          rx={1}
        />
      ))}
      {shown.map((run, index) => {
        const height = run.status === 'succeeded' ? STRIP_HEIGHT : STRIP_HEIGHT * 0.6;
        return (
          <rect
            key={run.id}
            class={`fill-${toneOf(run.status)}`}
            x={(start + index) * BAR_STEP}
            y={STRIP_HEIGHT - height}
            width={BAR_WIDTH}
            height={height}
            rx={1}
          />
        );
      })}
    </svg>
  );
}

function summaryOf(runs: readonly RunSummary[]): string {
  const counts = new Map<string, number>();
  runs.forEach(({ status }) => counts.set(status, (counts.get(status) ?? 0) + 1));
  const parts = [...counts].map(([status, count]) => `${count} ${status}`);
  return `Last ${counted(runs.length, 'run')}: ${parts.join(', ')}`;
}
