import { useState } from 'preact/hooks';

/** Something that a person asks for, and how far it got. */
export interface Action {
  readonly isBusy: boolean;
  /** Why the last attempt failed. */
  readonly error: Error | undefined;
  readonly run: (work: () => Promise<void>) => void;
}

/** Runs what a person asks for, once at a time. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const run = (work: () => Promise<void>) => {
    if (isBusy) {
      return;
    }
    setBusy(true);
    setError(undefined);
    work()
      .catch((failure: unknown) => setError(failure instanceof Error ? failure : new Error(String(failure))))
      .finally(() => setBusy(false));
  };
  return { isBusy, error, run };
}
