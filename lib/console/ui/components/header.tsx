import { useContext } from 'preact/hooks';
import { session } from '../api/session.js';
import { AccessContext } from '../state/access.js';
import { href, useRoute } from '../state/route.js';
import { usePermittedEntries } from './screen-entries.js';
import { useStoreText } from './store-text.js';

/** Where one can go, who one is, and whose schedules these are. */
export function Header() {
  const { actor } = useContext(AccessContext);
  const storeText = useStoreText();
  const entries = usePermittedEntries();
  const current = useRoute().path[0] ?? entries[0]?.path;
  return (
    <header class="header">
      <div class="header-row">
        <nav aria-label="Screens">
          <ul class="nav">
            {entries.map(({ name, path }) => (
              <li key={path}>
                <a href={href([path])} aria-current={current === path ? 'page' : undefined}>
                  {name}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <p class="actor">
          {storeText !== '' && (
            <span class="store" title="The store, and the environment that it belongs to">
              {storeText}
            </span>
          )}
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
