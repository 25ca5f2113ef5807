const TOKEN_KEY = 'cron-store.token';

type Listener = () => void;

/**
 * Who the console is used as. An application that signs its users in by cookies needs nothing here; a bearer token is
 * kept in `sessionStorage` under `cron-store.token`, until its tab is closed, where a page of the application may put it.
 */
class Session {
  private readonly listeners = new Set<Listener>();
  private ended = false;

  /** Whether the API has said that nobody is signed in, and nobody has signed in since. */
  get hasEnded(): boolean {
    return this.ended;
  }

  get hasToken(): boolean {
    return sessionStorage.getItem(TOKEN_KEY) !== null;
  }

  headers(): Readonly<Record<string, string>> {
    const token = sessionStorage.getItem(TOKEN_KEY);
    return token === null ? {} : { authorization: `Bearer ${token}` };
  }

  signIn(token: string): void {
    if (token !== '') {
      sessionStorage.setItem(TOKEN_KEY, token);
    }
    this.change(false);
  }

  /** Forgets the token. */
  signOut(): void {
    sessionStorage.removeItem(TOKEN_KEY);
    location.reload();
  }

  end(): void {
    this.change(true);
  }

  subscribe(listener: Listener): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  private change(ended: boolean): void {
    this.ended = ended;
    this.listeners.forEach((listener) => listener());
  }
}

export const session = new Session();
