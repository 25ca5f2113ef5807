import { call } from '../api/client.js';
import { FilterSelect, FilterText } from '../components/filters.js';
import type { Route } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';

const JOBS_INTERVAL_MS = 60_000;

/** Narrows the list of schedules. */
export function ScheduleFilters({ route }: { readonly route: Route }) {
  const jobs = usePolled(
    'jobs',
    (signal) => call<readonly string[]>('schedule/list_jobs', {}, { signal }),
    JOBS_INTERVAL_MS,
  );
  return (
    <form class="filters" role="search" aria-label="Schedules" onSubmit={(event) => event.preventDefault()}>
      <FilterText route={route} name="name" label="Name contains" />
      <FilterSelect route={route} name="job" label="Job" options={jobs.data ?? []} />
      <FilterSelect route={route} name="kind" label="Trigger" options={['cron', 'interval', 'once']} />
      <FilterSelect
        route={route}
        name="state"
        label="State"
        options={['enabled', 'paused', 'late', 'orphaned']}
      />
    </form>
  );
}
