import type { AuditRecord, PageOf } from '../api/answers.js';
import { call } from '../api/client.js';
import { AuditList } from '../components/audit-list.js';
import { FilterSelect, FilterText } from '../components/filters.js';
import { Empty, Loaded } from '../components/messages.js';
import { Pager } from '../components/pager.js';
import { href, replaceQuery, useRoute } from '../state/route.js';
import { usePolled } from '../state/use-polled.js';

const PAGE_SIZE = 25;

/** Who changed what, and who was not let. */
export function AuditScreen() {
  const route = useRoute();
  const { query } = route;
  const polled = usePolled(`audit|${query}`, (signal) =>
    call<PageOf<AuditRecord>>('audit/find_page', searchOf(query), {
      signal,
      meta: { page: Number(query.get('page') ?? 1), size: PAGE_SIZE },
    }),
  );
  return (
    <>
      <div class="title-row">
        <h1>Audit</h1>
      </div>
      <form class="filters" role="search" aria-label="Audit" onSubmit={(event) => event.preventDefault()}>
        <FilterText route={route} name="target" label="Schedule" />
        <FilterText route={route} name="actor" label="Actor id" />
        <FilterText route={route} name="action" label="Action" />
        <FilterSelect
          route={route}
          name="outcome"
          label="Outcome"
          options={['success', 'failed', 'denied']}
        />
      </form>
      <Loaded polled={polled}>
        {(page) =>
          page.items.length === 0 ? (
            <Empty title="Nothing is on record.">
              {query.size > 0 ? (
                <a href={href(['audit'])}>Show everything</a>
              ) : (
                'Every change, and every attempt at one, will be listed here.'
              )}
            </Empty>
          ) : (
            <>
              <AuditList records={page.items} />
              <Pager of={page} onPage={(number) => replaceQuery(route, { page: number })} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function searchOf(query: URLSearchParams): object {
  const fields = { target: 'target', actor: 'actorId', action: 'action', outcome: 'outcome' };
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) => {
      const value = query.get(name) ?? '';
      return value === '' ? [] : [[field, value]];
    }),
  );
}
