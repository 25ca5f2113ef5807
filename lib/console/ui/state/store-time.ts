import { useEffect, useState } from 'preact/hooks';

let offsetMs = 0;

/** Takes note of the store's time, by which schedules fire: the clock of this device may be wrong. */
export function noteStoreTime(nowUnixMs: number): void {
  offsetMs = nowUnixMs - Date.now();
}

/** The store's time. */
export function storeNow(): number {
  return Date.now() + offsetMs;
}

/** The store's time, every second, while somebody can see it. */
export function useStoreNow(intervalMs = 1_000): number {
  const [now, setNow] = useState(storeNow);
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) {
        setNow(storeNow());
      }
    }, intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs]);
  return now;
}
