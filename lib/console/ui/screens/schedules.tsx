import type { LatestRuns, ListedSchedule, PageOf, RunSummary } from '../api/answers.js';
import { call } from '../api/client.js';
import { Empty, Loaded } from '../components/messages.js';
import { Pager } from '../components/pager.js';
import { ScheduleTable } from '../components/schedule-table.js';
import { useMay } from '../state/access.js';
import { href, replaceQuery, type Route, useRoute } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';
import { ScheduleFilters } from './schedule-filters.js';

const PAGE_SIZE = 25;

interface Found {
  readonly page: PageOf<ListedSchedule>;
  /** The last runs of each schedule of the page, by its id; empty where runs may not be seen. */
  readonly runs: ReadonlyMap<string, readonly RunSummary[]>;
}

/** Every schedule: to find, to see how it does, and to act on. */
export function SchedulesScreen() {
  const route = useRoute();
  const may = useMay();
  const canSeeRuns = may('run/find_latest');
  const query = route.query.toString();
  const polled = usePolled(`${query}|${canSeeRuns}`, (signal) => find(route, canSeeRuns, signal));
  const isFiltered = ['name', 'job', 'kind', 'state'].some((filter) => route.query.has(filter));
  return (
    <>
      <div class="title-row">
        <h1>Schedules</h1>
        {may('schedule/create') && (
          <a class="button button-primary" href={href(['new'])}>
            New schedule
          </a>
        )}
      </div>
      <ScheduleFilters route={route} />
      <Loaded polled={polled}>
        {({ page, runs }) =>
          page.items.length === 0 ? (
            <Empty title={isFiltered ? 'No schedule matches.' : 'There are no schedules yet.'}>
              {isFiltered ? (
                <a href={href(['schedules'])}>Show all schedules</a>
              ) : (
                'Create one here, or give a job handler a default schedule.'
              )}
            </Empty>
          ) : (
            <>
              <ScheduleTable route={route} schedules={page.items} runs={runs} onChanged={polled.reload} />
              <Pager of={page} onPage={(number) => replaceQuery(route, { page: number })} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

async function find({ query }: Route, canSeeRuns: boolean, signal: AbortSignal): Promise<Found> {
  const page = await call<PageOf<ListedSchedule>>('schedule/find_page', searchOf(query), {
    signal,
    meta: {
      page: Number(query.get('page') ?? 1),
      size: PAGE_SIZE,
      sort: { field: query.get('sort') ?? 'name', direction: query.get('direction') ?? 'asc' },
    },
  });
  const scheduleIds = page.items.map(({ id }) => id);
  const latest =
    canSeeRuns && scheduleIds.length > 0
      ? await call<readonly LatestRuns[]>('run/find_latest', { scheduleIds, limit: 20 }, { signal })
      : [];
  return { page, runs: new Map(latest.map(({ scheduleId, runs }) => [scheduleId, runs])) };
}

function searchOf(query: URLSearchParams): object {
  const state = query.get('state');
  return {
    ...textOf('name', query.get('name')),
    ...textOf('jobName', query.get('job')),
    ...textOf('kind', query.get('kind')),
    ...(state === 'enabled' || state === 'paused' ? { isEnabled: state === 'enabled' } : {}),
    ...(state === 'orphaned' ? { orphaned: true } : {}),
    ...(state === 'late' ? { late: true } : {}),
  };
}

function textOf(name: string, value: string | null): object {
  return value === null || value === '' ? {} : { [name]: value };
}
