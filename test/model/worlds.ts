import { EVERY_GUARD, type Guards, type World } from './world.js';

const QUIET: World = {
  misfirePolicy: 'fire_now',
  concurrencyPolicy: 'forbid',
  faults: [],
  maxFaults: 0,
  operations: [],
  guards: EVERY_GUARD,
};

/** What the engine promises is checked in each of these, with every guard. */
export const WORLDS: Readonly<Record<string, World>> = {
  'any fault (fire_now, forbid)': { ...QUIET, faults: ['crash', 'freeze', 'outage'], maxFaults: 1 },
  'two crashes (skip, allow)': {
    ...QUIET,
    misfirePolicy: 'skip',
    concurrencyPolicy: 'allow',
    faults: ['crash'],
    maxFaults: 2,
  },
  'a crash and a restored backup (backfill, forbid)': {
    ...QUIET,
    misfirePolicy: 'backfill',
    faults: ['crash', 'restoration'],
    maxFaults: 2,
  },
  'operators, nothing fails (fire_now, allow)': {
    ...QUIET,
    concurrencyPolicy: 'allow',
    operations: ['pause', 'manual fire', 'deletion'],
  },
  'a crash, a pause and a deletion (fire_now, forbid)': {
    ...QUIET,
    faults: ['crash'],
    maxFaults: 1,
    operations: ['pause', 'deletion'],
  },
};

/** Everything at once: millions of states, and minutes. */
export const WIDE_WORLD: World = {
  ...QUIET,
  faults: ['crash', 'freeze', 'outage'],
  maxFaults: 1,
  operations: ['pause', 'manual fire', 'deletion'],
};

/** The same with guards switched off. */
export function without(guards: readonly (keyof Guards)[], given: Partial<World> = {}): World {
  const off = Object.fromEntries(guards.map((guard) => [guard, false]));
  return { ...QUIET, ...given, guards: { ...EVERY_GUARD, ...off } };
}
