import { call } from '../api/client.js';
import { replaceQuery, type Route } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';

const JOBS_INTERVAL_MS = 60_000;

/** Narrows the list of schedules; what is chosen is part of the URL. */
export function ScheduleFilters({ route }: { readonly route: Route }) {
  const jobs = usePolled(
    'jobs',
    (signal) => call<readonly string[]>('schedule/list_jobs', {}, { signal }),
    JOBS_INTERVAL_MS,
  );
  const value = (name: string) => route.query.get(name) ?? '';
  const set =
    (name: string) => (event: Event & { readonly currentTarget: HTMLInputElement | HTMLSelectElement }) =>
      replaceQuery(route, { [name]: event.currentTarget.value, page: undefined });
  return (
    <form class="filters" role="search" aria-label="Schedules" onSubmit={(event) => event.preventDefault()}>
      <label>
        <span>Name contains</span>
        <input type="search" value={value('name')} onInput={set('name')} />
      </label>
      <label>
        <span>Job</span>
        <select value={value('job')} onChange={set('job')}>
          <option value="">any</option>
          {[...new Set([...(jobs.data ?? []), ...(value('job') === '' ? [] : [value('job')])])].map((job) => (
            <option key={job} value={job}>
              {job}
            </option>
          ))}
        </select>
      </label>
      <label>
        <span>Trigger</span>
        <select value={value('kind')} onChange={set('kind')}>
          <option value="">any</option>
          <option value="cron">cron</option>
          <option value="interval">interval</option>
          <option value="once">once</option>
        </select>
      </label>
      <label>
        <span>State</span>
        <select value={value('state')} onChange={set('state')}>
          <option value="">any</option>
          <option value="enabled">enabled</option>
          <option value="paused">paused</option>
          <option value="late">late</option>
          <option value="orphaned">orphaned</option>
        </select>
      </label>
    </form>
  );
}
