import { useState } from 'preact/hooks';
import { session } from '../api/session.js';
import { Dialog } from '../components/dialog.js';
import { Field } from '../components/field.js';

const SIGN_IN_URL = document.querySelector<HTMLMetaElement>('meta[name="cron-store:sign-in"]')?.content ?? '';

/** Asks who it is, over whatever was being done, which is still there afterwards. */
export function SignIn() {
  const [token, setToken] = useState('');
  return (
    <Dialog title={session.hasToken ? 'Your session has ended' : 'Sign in'}>
      <form
        class="stack"
        onSubmit={(event) => {
          event.preventDefault();
          session.signIn(token.trim());
        }}
      >
        {SIGN_IN_URL !== '' && (
          <p>
            <a class="button button-primary" href={SIGN_IN_URL}>
              Sign in to the application
            </a>
          </p>
        )}
        <Field
          label={SIGN_IN_URL === '' ? 'Access token' : 'Or an access token'}
          hint="What the application hands out to its users. It is kept in this tab alone, until the tab is closed."
        >
          <input
            type="password"
            autoComplete="off"
            autofocus
            value={token}
            onInput={(event) => setToken(event.currentTarget.value)}
          />
        </Field>
        <div class="actions">
          <button type="submit" class="button button-primary" disabled={token.trim() === ''}>
            Continue
          </button>
          <button type="button" class="button" onClick={() => session.signIn('')}>
            Try again without a token
          </button>
        </div>
      </form>
    </Dialog>
  );
}
