import type { PageOf, Run } from '../api/answers.js';
import { call } from '../api/client.js';
import { FilterSelect, FilterText, FilterTime } from '../components/filters.js';
import { instantOf } from '../components/local-instant.js';
import { Empty, Loaded } from '../components/messages.js';
import { Pager } from '../components/pager.js';
import { RunTable } from '../components/run-table.js';
import { href, replaceQuery, useRoute } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';

const PAGE_SIZE = 25;
const STATUSES = ['running', 'succeeded', 'failed', 'missed', 'skipped', 'abandoned', 'canceled'];

/** The journal. */
export function RunsScreen() {
  const route = useRoute();
  const { query } = route;
  const polled = usePolled(`runs|${query}`, (signal) =>
    call<PageOf<Run>>('run/find_page', searchOf(query), {
      signal,
      meta: { page: Number(query.get('page') ?? 1), size: PAGE_SIZE },
    }),
  );
  return (
    <>
      <div class="title-row">
        <h1>Runs</h1>
      </div>
      <form class="filters" role="search" aria-label="Runs" onSubmit={(event) => event.preventDefault()}>
        <FilterSelect route={route} name="status" label="Status" options={STATUSES} />
        <FilterText route={route} name="schedule" label="Schedule" />
        <FilterText route={route} name="job" label="Job" />
        <FilterText route={route} name="node" label="Node" />
        <FilterTime route={route} name="from" label="Scheduled from" />
        <FilterTime route={route} name="to" label="Scheduled until" />
      </form>
      <Loaded polled={polled}>
        {(page) =>
          page.items.length === 0 ? (
            <Empty title={query.size > 0 ? 'No run matches.' : 'Nothing has run yet.'}>
              {query.size > 0 ? (
                <a href={href(['runs'])}>Show all runs</a>
              ) : (
                <>
                  Run one of the <a href={href(['schedules'])}>schedules</a> now.
                </>
              )}
            </Empty>
          ) : (
            <>
              <RunTable runs={page.items} />
              <Pager of={page} onPage={(number) => replaceQuery(route, { page: number })} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function searchOf(query: URLSearchParams): object {
  const texts = { status: 'status', schedule: 'scheduleName', job: 'jobName', node: 'nodeId' };
  const instants = { from: 'scheduledAtFromUnixMs', to: 'scheduledAtToUnixMs' };
  return Object.fromEntries([
    ...Object.entries(texts).flatMap(([name, field]) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : [[field, value]];
    }),
    ...Object.entries(instants).flatMap(([name, field]) => {
      const value = instantOf(query.get(name) ?? '');
      return value === undefined ? [] : [[field, value]];
    }),
  ]);
}
