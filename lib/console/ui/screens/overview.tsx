import type { Hold, ListedSchedule, Node, PageOf, Run } from '../api/answers.js';
import { call } from '../api/client.js';
import { FiresChart } from '../components/fires-chart.js';
import { FiresTimeline } from '../components/fires-timeline.js';
import { HoldEverything, Holds } from '../components/holds.js';
import { ErrorMessage, Loaded } from '../components/messages.js';
import { RunTable } from '../components/run-table.js';
import { ScheduleBadges } from '../components/status.js';
import { counted, countText } from '../components/texts.js';
import { Countdown } from '../components/time.js';
import { useMay } from '../state/access.js';
import { href } from '../state/route.js';
import { type Polled, usePolled } from '../state/use-polled.js';

const SHOWN = 8;

/** What is going on. */
export function OverviewScreen() {
  const may = useMay();
  const late = usePolled('late', (signal) =>
    call<PageOf<ListedSchedule>>(
      'schedule/find_page',
      { late: true },
      { signal, meta: { size: SHOWN, sort: { field: 'nextFireAtUnixMs' } } },
    ),
  );
  const nodes = usePolled('nodes', (signal) =>
    call<PageOf<Node>>('node/find_page', { isAlive: true }, { signal, meta: { size: 100 } }),
  );
  const holds = usePolled('holds', (signal) => call<readonly Hold[]>('schedule/find_holds', {}, { signal }));
  return (
    <>
      <div class="title-row">
        <h1>Overview</h1>
        {holds.data !== undefined && <HoldEverything holds={holds.data} onChanged={holds.reload} />}
      </div>
      <ErrorMessage error={holds.error} />
      {holds.data !== undefined && <Holds holds={holds.data} onChanged={holds.reload} />}
      <Figures late={late} nodes={nodes} />
      {may('run/count_by_time') && <FiresChart />}
      <FiresTimeline />
      {may('run/find_page') && <RunningNow />}
      <Late late={late} />
    </>
  );
}

interface FiguresProps {
  readonly late: Polled<PageOf<ListedSchedule>>;
  readonly nodes: Polled<PageOf<Node>>;
}

function Figures({ late, nodes }: FiguresProps) {
  const alive = nodes.data?.items ?? [];
  const slots = alive.reduce((sum, node) => sum + node.slots, 0);
  const busy = alive.reduce((sum, node) => sum + node.busySlots, 0);
  return (
    <dl class="figures">
      <div>
        <dt>Nodes alive</dt>
        <dd>
          <a href={href(['nodes'])}>{nodes.data === undefined ? '…' : countText(nodes.data.total)}</a>
        </dd>
      </div>
      <div>
        <dt>Slots busy</dt>
        <dd>{nodes.data === undefined ? '…' : `${countText(busy)} of ${countText(slots)}`}</dd>
      </div>
      <div>
        <dt>Schedules late</dt>
        <dd class={late.data !== undefined && late.data.total > 0 ? 'text-bad' : ''}>
          <a href={href(['schedules'], { state: 'late', sort: 'nextFireAtUnixMs' })}>
            {late.data === undefined ? '…' : countText(late.data.total)}
          </a>
        </dd>
      </div>
    </dl>
  );
}

function RunningNow() {
  const running = usePolled('running', (signal) =>
    call<PageOf<Run>>('run/find_page', { status: 'running' }, { signal, meta: { size: SHOWN } }),
  );
  return (
    <section class="section">
      <div class="section-title">
        <h2>Running now</h2>
        {running.data !== undefined && running.data.total > SHOWN && (
          <a href={href(['runs'], { status: 'running' })}>All {countText(running.data.total)}</a>
        )}
      </div>
      <Loaded polled={running}>
        {({ items }) =>
          items.length === 0 ? (
            <p class="muted">Nothing is running at this moment.</p>
          ) : (
            <RunTable runs={items} />
          )
        }
      </Loaded>
    </section>
  );
}

function Late({ late }: { readonly late: Polled<PageOf<ListedSchedule>> }) {
  return (
    <section class="section">
      <h2>Late</h2>
      <Loaded polled={late}>
        {({ items, total }) =>
          items.length === 0 ? (
            <p class="muted">Nothing is late: whatever is due has been claimed.</p>
          ) : (
            <>
              <p class="message message-warn">
                {counted(total, 'schedule')} should have fired{reasonOf(items)}
              </p>
              <ul class="lines">
                {items.map((schedule) => (
                  <li key={schedule.id}>
                    <span>
                      <a class="row-title" href={href(['schedules', schedule.name])}>
                        {schedule.name}
                      </a>{' '}
                      <ScheduleBadges schedule={schedule} />
                    </span>
                    <span class="row-detail">
                      due <Countdown at={schedule.nextFireAtUnixMs ?? 0} />
                    </span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Loaded>
    </section>
  );
}

/** Why what is late is late, and what to do about it. */
function reasonOf(late: readonly ListedSchedule[]): string {
  if (late.every(({ isHeld }) => isHeld)) {
    return ', but for a hold.';
  }
  const remark = late.some(({ isHeld }) => isHeld) ? ' Those that are held wait to be released.' : '';
  return `: start a node that has their jobs, or give the nodes more slots.${remark}`;
}
