import { useContext } from 'preact/hooks';
import { session } from '../api/session.js';
import { AccessContext, useMay } from '../state/access.js';
import { href, useRoute } from '../state/route.js';

interface Entry {
  readonly name: string;
  readonly path: string;
  /** The action that the screen lives by: without it there is nothing to see. */
  readonly action: string;
}

const ENTRIES: readonly Entry[] = [
  { name: 'Overview', path: 'overview', action: 'schedule/find_page' },
  { name: 'Schedules', path: 'schedules', action: 'schedule/find_page' },
  { name: 'Runs', path: 'runs', action: 'run/find_page' },
  { name: 'Nodes', path: 'nodes', action: 'node/find_page' },
  { name: 'Audit', path: 'audit', action: 'audit/find_page' },
];

/** Where one can go, and who one is. */
export function Header() {
  const { actor } = useContext(AccessContext);
  const may = useMay();
  const current = useRoute().path[0] ?? 'overview';
  return (
    <header class="header">
      <div class="header-row">
        <nav aria-label="Screens">
          <ul class="nav">
            {ENTRIES.filter(({ action }) => may(action)).map(({ name, path }) => (
              <li key={path}>
                <a href={href([path])} aria-current={current === path ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <p class="actor">
          <span>{actor.name ?? actor.id}</span>
          {session.hasToken && (
            <button type="button" class="button-quiet" onClick={() => session.signOut()}>
              Sign out
            </button>
          )}
        </p>
      </div>
    </header>
  );
}
