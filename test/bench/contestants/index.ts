import type { Contestant, NamedContestant } from '../harness/contestant.js';

/** Each is loaded only in the processes that run it, so that none weighs on another. */
const CONTESTANTS = {
  'cron-store': async () => (await import('./cron-store.js')).tuned,
  'cron-store, defaults': async () => (await import('./cron-store.js')).defaults,
  floor: async () => (await import('./floor.js')).floor,
  'graphile-worker': async () => (await import('./graphile-worker.js')).graphileWorker,
  'graphile-worker, local queue': async () =>
    (await import('./graphile-worker.js')).graphileWorkerWithLocalQueue,
  'pg-boss': async () => (await import('./pg-boss.js')).pgBoss,
  'pg-boss, batches': async () => (await import('./pg-boss.js')).pgBossInBatches,
} satisfies Record<string, () => Promise<Contestant>>;

export type ContestantName = keyof typeof CONTESTANTS;

const loaded = new Map<string, Promise<NamedContestant>>();

/** Loads a contestant. */
export async function contestantNamed(name: string): Promise<NamedContestant> {
  const load = CONTESTANTS[name as ContestantName] as (() => Promise<Contestant>) | undefined;
  if (load === undefined) {
    throw new Error(`There is no contestant ${name}.`);
  }
  const loading = loaded.get(name) ?? load().then((contestant) => ({ ...contestant, name }));
  loaded.set(name, loading);
  return loading;
}
