import type { Next } from './contenders.js';

const ROUNDS = 5;
const ROUND_MS = 60;

/** Instants to ask from, some days, hours, minutes and milliseconds apart. Near the start: `cron` gives up beyond 8 years. */
const QUESTIONS = 10;
const DISTANCE_MS = 97_654_321;

/** Microseconds per answer: the fastest of a few rounds, after one to warm up. */
export function microsecondsPerFire(next: Next, start: number): number {
  const instants = Array.from({ length: QUESTIONS }, (_, index) => start + index * DISTANCE_MS);
  const ask = (): void => {
    for (const instant of instants) {
      if (!(next(instant) > instant)) throw new Error(`no next fire after ${instant}`);
    }
  };
  return microsecondsPerCall(ask) / QUESTIONS;
}

export function microsecondsPerCall(call: () => void): number {
  const rounds = Array.from({ length: ROUNDS + 1 }, () => round(call));
  return Math.min(...rounds.slice(1));
}

function round(call: () => void): number {
  const start = performance.now();
  let calls = 0;
  let elapsed = 0;
  // The clock is read once per batch, so that it does not weigh on answers of some nanoseconds.
  for (let batch = 1; elapsed < ROUND_MS; batch = Math.min(batch * 2, 1024)) {
    for (let index = 0; index < batch; index++) call();
    calls += batch;
    elapsed = performance.now() - start;
  }
  return (elapsed * 1000) / calls;
}
