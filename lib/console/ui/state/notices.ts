import { useEffect, useState } from 'preact/hooks';

/** Something that was done, or that failed. */
export interface Notice {
  readonly id: number;
  readonly text: string;
  readonly isError: boolean;
}

const SHOWN_MS = 6_000;

let notices: readonly Notice[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

/** Tells what was done. */
export function notify(text: string, { isError = false } = {}): void {
  lastId += 1;
  const notice = { id: lastId, text, isError };
  change([...notices.slice(-2), notice]);
  setTimeout(() => dismiss(notice.id), SHOWN_MS);
}

export function dismiss(id: number): void {
  change(notices.filter((notice) => notice.id !== id));
}

export function useNotices(): readonly Notice[] {
  const [shown, setShown] = useState(notices);
  useEffect(() => {
    const update = () => setShown(notices);
    listeners.add(update);
    return () => {
      listeners.delete(update);
    };
  }, []);
  return shown;
}

function change(next: readonly Notice[]): void {
  notices = next;
  listeners.forEach((listener) => listener());
}
