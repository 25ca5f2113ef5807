import type { RunCount, RunCounts } from '../api/answers.js';
import { call } from '../api/client.js';
import { usePolled } from '../state/use-polled.js';
import { Loaded } from './messages.js';
import { failuresOf, totalOf } from './run-counts.js';
import { counted, dateText } from './texts.js';

const WEEKS = 53;
const CELL = 11;
const STEP = 14;
const TOP = 18;
const INTERVAL_MS = 60_000;
/** Shares of the busiest day from which on a day is drawn one step darker. */
const LEVELS = [0, 0.25, 0.5, 0.75];

const monthName = new Intl.DateTimeFormat(undefined, { month: 'short' });

/** A year of a schedule's runs: a square for each day, darker for more runs, and of another colour where some failed. */
export function HeatMap({ scheduleId }: { readonly scheduleId: string }) {
  const polled = usePolled(
    `heat-map|${scheduleId}`,
    (signal) => call<RunCounts>('run/count_by_time', { boundsUnixMs: dayBounds(), scheduleId }, { signal }),
    INTERVAL_MS,
  );
  return <Loaded polled={polled}>{(counts) => <Year counts={counts} />}</Loaded>;
}

function Year({ counts: { intervals, isExact } }: { readonly counts: RunCounts }) {
  const most = Math.max(1, ...intervals.map(totalOf));
  const active = intervals.filter((day) => totalOf(day) > 0);
  const failing = active.filter((day) => failuresOf(day) > 0);
  const runs = intervals.reduce((sum, day) => sum + totalOf(day), 0);
  const summary = `${counted(runs, 'run')} on ${counted(active.length, 'day')} of the last year, ${counted(failing.length, 'day')} with failures.`;
  return (
    <>
      <div class="scroll" tabIndex={0} role="group" aria-label="A year of runs">
        <svg
          role="img"
          aria-label={summary}
          width={WEEKS * STEP}
          height={TOP + 7 * STEP}
          viewBox={`0 0 ${WEEKS * STEP} ${TOP + 7 * STEP}`}
        >
          {monthLabels(intervals).map(({ text, week }) => (
            <text key={week} class="axis" x={week * STEP} y={11}>
              {text}
            </text>
          ))}
          {intervals.filter(isNotAhead).map((day, index) => (
            <rect
              key={day.fromUnixMs}
              class={classOf(day, most)}
              x={Math.floor(index / 7) * STEP}
              y={TOP + (index % 7) * STEP}
              width={CELL}
              height={CELL}
              rx={2}
            >
              <title>{titleOf(day)}</title>
            </rect>
          ))}
        </svg>
      </div>
      <p class="row-detail">
        {summary} {isExact ? '' : 'Only the newest 100,000 runs are counted.'}
      </p>
    </>
  );
}

/** The first instants of the days of whole weeks, in the reader's zone, today's week the last. */
function dayBounds(): readonly number[] {
  const today = new Date();
  const sunday = today.getDate() - today.getDay() - (WEEKS - 1) * 7;
  return Array.from({ length: WEEKS * 7 + 1 }, (_, day) =>
    new Date(today.getFullYear(), today.getMonth(), sunday + day).getTime(),
  );
}

function isNotAhead({ fromUnixMs }: RunCount): boolean {
  return fromUnixMs <= Date.now();
}

function monthLabels(days: readonly RunCount[]): readonly { readonly text: string; readonly week: number }[] {
  return days.flatMap(({ fromUnixMs }, index) => {
    const date = new Date(fromUnixMs);
    const week = Math.floor(index / 7);
    return date.getDate() === 1 && week < WEEKS - 1 ? [{ text: monthName.format(date), week }] : [];
  });
}

function classOf(day: RunCount, most: number): string {
  const total = totalOf(day);
  if (total === 0) {
    return 'day-empty';
  }
  const level = LEVELS.filter((share) => total / most > share).length;
  return failuresOf(day) > 0 ? `day-failed-${level}` : `day-${level}`;
}

function titleOf(day: RunCount): string {
  const failures = failuresOf(day);
  return `${dateText(day.fromUnixMs)}: ${counted(totalOf(day), 'run')}${failures === 0 ? '' : `, ${failures} failed`}`;
}
