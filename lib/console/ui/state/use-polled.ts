import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { session } from '../api/session.js';

/** What was read last, and how the last attempt to read it ended. */
export interface Polled<Data> {
  /** Stays while newer data is on its way, and when an attempt fails. */
  readonly data: Data | undefined;
  /** Of the last attempt, when it failed. */
  readonly error: Error | undefined;
  /** Reads again, now. */
  readonly reload: () => void;
}

interface Outcome<Data> {
  readonly data: Data | undefined;
  readonly error: Error | undefined;
}

const DEFAULT_INTERVAL_MS = 5_000;

/**
 * Reads something again and again: at once when `key` changes, and then at the interval, but only while somebody can see
 * it: a tab in the background asks for nothing, and asks at once when it is looked at again.
 */
export function usePolled<Data>(
  key: string,
  load: (signal: AbortSignal) => Promise<Data>,
  intervalMs = DEFAULT_INTERVAL_MS,
): Polled<Data> {
  const [outcome, setOutcome] = useState<Outcome<Data>>({ data: undefined, error: undefined });
  const [attempt, setAttempt] = useState(0);
  const latest = useRef(load);
  latest.current = load;

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let timer: number | undefined;
    const read = async () => {
      window.clearTimeout(timer);
      if (document.hidden || session.hasEnded) {
        return;
      }
      try {
        const data = await latest.current(signal);
        signal.throwIfAborted();
        setOutcome({ data, error: undefined });
      } catch (error) {
        if (signal.aborted) {
          return;
        }
        setOutcome(({ data }) => ({
          data,
          error: error instanceof Error ? error : new Error(String(error)),
        }));
      }
      timer = window.setTimeout(() => void read(), intervalMs);
    };
    const wake = () => void read();
    document.addEventListener('visibilitychange', wake);
    const unsubscribe = session.subscribe(wake);
    wake();
    return () => {
      controller.abort();
      window.clearTimeout(timer);
      document.removeEventListener('visibilitychange', wake);
      unsubscribe();
    };
  }, [key, attempt, intervalMs]);

  const reload = useCallback(() => setAttempt((count) => count + 1), []);
  return { ...outcome, reload };
}
