import { useState } from 'preact/hooks';
import type { RunCount, RunCounts } from '../api/answers.js';
import { call } from '../api/client.js';
import { storeNow } from '../state/store-time.js';
import { usePolled } from '../state/use-polled.js';
import { Loaded } from './messages.js';
import { failuresOf, totalOf } from './run-counts.js';
import { countText, counted, timeText } from './texts.js';

const MINUTE = 60_000;
const INTERVAL_MS = 15_000;
const WIDTH = 720;
const HEIGHT = 120;
const BOTTOM = 4;
const TICKS = 4;

/** What can be looked back at: how far, and in which steps, in minutes. */
const RANGES = [
  { label: '1 hour', minutes: 60, step: 1 },
  { label: '3 hours', minutes: 180, step: 1 },
  { label: '12 hours', minutes: 720, step: 5 },
] as const;

/** How many fires there were over the last hours, and how many of them failed. */
export function FiresChart() {
  const [rangeIndex, setRangeIndex] = useState(1);
  const range = RANGES[rangeIndex] ?? RANGES[1];
  const polled = usePolled(
    `chart|${rangeIndex}`,
    (signal) => call<RunCounts>('run/count_by_time', { boundsUnixMs: boundsOf(range) }, { signal }),
    INTERVAL_MS,
  );
  return (
    <section class="section">
      <div class="section-title">
        <h2>{range.step === 1 ? 'Fires per minute' : `Fires per ${range.step} minutes`}</h2>
        <label class="inline-select">
          <span class="visually-hidden">Look back over</span>
          <select value={rangeIndex} onChange={(event) => setRangeIndex(Number(event.currentTarget.value))}>
            {RANGES.map(({ label }, index) => (
              <option key={label} value={index}>
                last {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded polled={polled}>{(counts) => <Bars counts={counts} />}</Loaded>
    </section>
  );
}

function Bars({ counts: { intervals, isExact } }: { readonly counts: RunCounts }) {
  const most = Math.max(1, ...intervals.map(totalOf));
  const step = WIDTH / intervals.length;
  const scale = (HEIGHT - BOTTOM - 4) / most;
  const total = intervals.reduce((sum, interval) => sum + totalOf(interval), 0);
  const failures = intervals.reduce((sum, interval) => sum + failuresOf(interval), 0);
  const summary = `${counted(total, 'fire')}, ${countText(failures)} failed or abandoned; ${countText(most)} at most in one step.`;
  return (
    <>
      <svg
        class="chart"
        role="img"
        aria-label={summary}
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
        preserveAspectRatio="none"
      >
        <line class="rule" x1={0} x2={WIDTH} y1={HEIGHT - BOTTOM} y2={HEIGHT - BOTTOM} />
        {intervals.map((interval, index) => (
          <Bar key={interval.fromUnixMs} interval={interval} x={index * step} width={step} scale={scale} />
        ))}
      </svg>
      <div class="chart-axis" aria-hidden="true">
        {ticksOf(intervals).map((at) => (
          <span key={at}>{timeText(at)}</span>
        ))}
      </div>
      <p class="row-detail">
        {summary} {isExact ? '' : 'Only the newest 100,000 are counted.'}
      </p>
    </>
  );
}

interface BarProps {
  readonly interval: RunCount;
  readonly x: number;
  readonly width: number;
  readonly scale: number;
}

/** What went well, with what did not on top of it. */
function Bar({ interval, x, width, scale }: BarProps) {
  const failures = failuresOf(interval);
  const others = totalOf(interval) - failures;
  if (others + failures === 0) {
    return null;
  }
  const base = HEIGHT - BOTTOM;
  const barWidth = Math.max(1, width * 0.72);
  return (
    <g>
      <title>
        {`${timeText(interval.fromUnixMs)}: ${counted(others + failures, 'fire')}, ${failures} failed`}
      </title>
      <rect class="fill-good" x={x} y={base - others * scale} width={barWidth} height={others * scale} />
      <rect
        class="fill-bad"
        x={x}
        y={base - (others + failures) * scale}
        width={barWidth}
        height={failures * scale}
      />
    </g>
  );
}

function boundsOf({ minutes, step }: (typeof RANGES)[number]): readonly number[] {
  const stepMs = step * MINUTE;
  const end = Math.floor(storeNow() / stepMs) * stepMs + stepMs;
  const count = minutes / step;
  return Array.from({ length: count + 1 }, (_, index) => end - (count - index) * stepMs);
}

/** Instants at equal distances, the ends included. */
function ticksOf(intervals: readonly RunCount[]): readonly number[] {
  const from = intervals.at(0)?.fromUnixMs ?? 0;
  const to = intervals.at(-1)?.toUnixMs ?? 0;
  return Array.from({ length: TICKS + 1 }, (_, index) => from + ((to - from) * index) / TICKS);
}
