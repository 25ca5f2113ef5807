import { useEffect, useState } from 'preact/hooks';
import type { Access } from './api/answers.js';
import { call } from './api/client.js';
import { session } from './api/session.js';
import { Header } from './components/header.js';
import { Loaded, Notices } from './components/messages.js';
import { AccessContext } from './state/access.js';
import { noteStoreTime } from './state/store-time.js';
import { usePolled } from './state/use-polled.js';
import { CurrentScreen } from './screens/current-screen.js';
import { SignIn } from './screens/sign-in.js';

const ACCESS_INTERVAL_MS = 60_000;

/** The console: who is signed in, and around every screen what they all have. */
export function App() {
  const access = usePolled('access', readAccess, ACCESS_INTERVAL_MS);
  return (
    <>
      <a class="skip-link" href="#content" onClick={focusContent}>
        Skip to the content
      </a>
      {access.data === undefined ? (
        <main class="page">{!session.hasEnded && <Loaded polled={access}>{() => null}</Loaded>}</main>
      ) : (
        <AccessContext.Provider value={access.data}>
          <Header />
          <main id="content" class="page" tabIndex={-1}>
            <CurrentScreen />
          </main>
        </AccessContext.Provider>
      )}
      <Notices />
      {useSessionEnded() && <SignIn />}
    </>
  );
}

async function readAccess(signal: AbortSignal): Promise<Access> {
  const access = await call<Access>('access/get', {}, { signal });
  noteStoreTime(access.nowUnixMs);
  return access;
}

function useSessionEnded(): boolean {
  const [hasEnded, setEnded] = useState(session.hasEnded);
  useEffect(() => session.subscribe(() => setEnded(session.hasEnded)), []);
  return hasEnded;
}

/** The link would be a view of its own: what follows `#` says where one is. */
function focusContent(event: Event): void {
  event.preventDefault();
  document.getElementById('content')?.focus();
}
