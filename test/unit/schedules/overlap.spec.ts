import { decideOverlap, type OverlapDecision } from '../../../lib/schedules/overlap.js';

const REGULAR = { isOwed: false, isQueued: false };
const OWED = { isOwed: true, isQueued: false };
const QUEUED = { isOwed: false, isQueued: true };

const IDLE = { hasActiveRun: false, hasQueuedFire: false };
const ACTIVE = { hasActiveRun: true, hasQueuedFire: false };
const FULL = { hasActiveRun: true, hasQueuedFire: true };

describe('decideOverlap', () => {
  it.each(['forbid', 'allow', 'queue', 'replace'] as const)(
    'runs whatever fires while nothing runs, under %s',
    (policy) => {
      for (const fire of [REGULAR, OWED, QUEUED]) {
        expect(decideOverlap(policy, fire, IDLE)).toBe('run');
      }
    },
  );

  it('runs everything beside a running run under allow', () => {
    for (const fire of [REGULAR, OWED, QUEUED]) {
      expect(decideOverlap('allow', fire, FULL)).toBe('run');
    }
  });

  it.each([
    ['forbid', ACTIVE, 'skip'],
    ['queue', ACTIVE, 'queue'],
    ['queue', FULL, 'skip'],
    ['replace', ACTIVE, 'replace'],
  ] as const satisfies readonly (readonly [string, object, OverlapDecision])[])(
    'decides a regular fire under %s with %j: %s',
    (policy, activity, decision) => {
      expect(decideOverlap(policy, REGULAR, activity)).toBe(decision);
    },
  );

  it.each(['forbid', 'queue', 'replace'] as const)('lets owed and queued fires wait under %s', (policy) => {
    expect(decideOverlap(policy, OWED, FULL)).toBe('wait');
    expect(decideOverlap(policy, QUEUED, FULL)).toBe('wait');
  });
});
