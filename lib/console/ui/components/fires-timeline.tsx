import { useState } from 'preact/hooks';
import type { UpcomingFires, UpcomingFiresOf } from '../api/answers.js';
import { call } from '../api/client.js';
import { href } from '../state/route.js';
import { storeNow } from '../state/store-time.js';
import { usePolled } from '../state/use-polled.js';
import { Empty, Loaded } from './messages.js';
import { counted, dateTimeText, timeText } from './texts.js';

const HOUR = 3_600_000;
const SCHEDULES = 12;
const INTERVAL_MS = 10_000;
const WIDTH = 600;
const HEIGHT = 22;
const TICKS = 4;

const RANGES = [
  { label: 'hour', hours: 1 },
  { label: '6 hours', hours: 6 },
  { label: '24 hours', hours: 24 },
] as const;

/** What fires next, over all schedules, on one axis of time. */
export function FiresTimeline() {
  const [rangeIndex, setRangeIndex] = useState(0);
  const range = RANGES[rangeIndex] ?? RANGES[0];
  const polled = usePolled(
    `timeline|${rangeIndex}`,
    (signal) =>
      call<UpcomingFires>(
        'schedule/find_upcoming',
        { untilUnixMs: storeNow() + range.hours * HOUR, limit: SCHEDULES },
        { signal },
      ),
    INTERVAL_MS,
  );
  return (
    <section class="section">
      <div class="section-title">
        <h2>Next fires</h2>
        <label class="inline-select">
          <span class="visually-hidden">Look ahead over</span>
          <select value={rangeIndex} onChange={(event) => setRangeIndex(Number(event.currentTarget.value))}>
            {RANGES.map(({ label }, index) => (
              <option key={label} value={index}>
                next {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <Loaded polled={polled}>
        {(upcoming) =>
          upcoming.items.length === 0 ? (
            <Empty title={`Nothing fires within the next ${range.label}.`}>Look further ahead.</Empty>
          ) : (
            <Timeline upcoming={upcoming} spanMs={range.hours * HOUR} />
          )
        }
      </Loaded>
    </section>
  );
}

function Timeline({ upcoming, spanMs }: { readonly upcoming: UpcomingFires; readonly spanMs: number }) {
  const { nowUnixMs, items, isComplete } = upcoming;
  return (
    <>
      <ul class="timeline">
        {items.map((item) => (
          <li key={item.scheduleId}>
            <a class="row-title" href={href(['schedules', item.scheduleName])}>
              {item.scheduleName}
            </a>
            <Fires item={item} nowUnixMs={nowUnixMs} spanMs={spanMs} />
          </li>
        ))}
      </ul>
      <div class="timeline-axis" aria-hidden="true">
        {Array.from({ length: TICKS + 1 }, (_, index) => (
          <span key={index}>{timeText(nowUnixMs + (spanMs * index) / TICKS)}</span>
        ))}
      </div>
      {!isComplete && <p class="row-detail">Only the {items.length} schedules that fire first are shown.</p>}
    </>
  );
}

interface FiresProps {
  readonly item: UpcomingFiresOf;
  readonly nowUnixMs: number;
  readonly spanMs: number;
}

function Fires({ item, nowUnixMs, spanMs }: FiresProps) {
  const { firesUnixMs, isComplete, heldUntilUnixMs } = item;
  const [first = nowUnixMs] = firesUnixMs;
  const count = isComplete ? counted(firesUnixMs.length, 'fire') : `more than ${firesUnixMs.length} fires`;
  const xOf = (at: number) => Math.min(WIDTH - 3, ((at - nowUnixMs) / spanMs) * WIDTH);
  const held = heldUntilUnixMs === undefined ? '' : `; held until ${dateTimeText(heldUntilUnixMs)}`;
  const summary = `${count}, the next ${dateTimeText(first)}${held}`;
  return (
    <svg
      class="timeline-row"
      role="img"
      aria-label={summary}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
    >
      <title>{summary}</title>
      <line class="rule" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {!isComplete && (
        <rect
          class="fill-accent more"
          x={xOf(firesUnixMs.at(-1) ?? nowUnixMs)}
          y={3}
          width={WIDTH - xOf(firesUnixMs.at(-1) ?? nowUnixMs)}
          height={HEIGHT - 6}
        />
      )}
      {firesUnixMs.map((at) => (
        <rect
          key={at}
          class={at < (heldUntilUnixMs ?? 0) ? 'fill-accent more' : 'fill-accent'}
          x={xOf(at)}
          y={3}
          width={3}
          height={HEIGHT - 6}
          rx={1}
        />
      ))}
    </svg>
  );
}
