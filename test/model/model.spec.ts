import { check, describeVerdict, type Verdict } from './check.js';
import { INVARIANTS } from './invariants.js';
import { OBLIGATIONS } from './liveness.js';
import type { World } from './world.js';
import { WIDE_WORLD, without, WORLDS } from './worlds.js';

function checked(name: string, world: World): Verdict {
  const verdict = check(world);
  process.stdout.write(describeVerdict(name, verdict));
  return verdict;
}

function brokenIn(name: string, world: World): string | undefined {
  const verdict = checked(name, world);
  return verdict.kind === 'counterexample' ? verdict.violation.broken : undefined;
}

describe('With every guard, nothing is lost and nothing is doubled', () => {
  const worlds = process.env['MODEL'] === 'wide' ? { ...WORLDS, 'everything at once': WIDE_WORLD } : WORLDS;

  it.each(Object.entries(worlds))(
    '%s',
    (name, world) => {
      expect(checked(name, world).kind).toBe('holds');
    },
    900_000,
  );

  it('is explored the same each time', () => {
    const world = without([], { faults: ['restoration'], maxFaults: 1 });

    expect(describeVerdict('twice', check(world))).toBe(describeVerdict('twice', check(world)));
  });
});

describe('The cursor and the fence are independent of each other', () => {
  const overlap = { concurrencyPolicy: 'allow' } as const;
  const crash = { ...overlap, faults: ['crash'], maxFaults: 1 } as const;

  it('the fence alone suffices', () => {
    expect(brokenIn('no cursor check', without(['rereadsCursor'], crash))).toBeUndefined();
  });

  it('the cursor alone suffices, while nobody puts it back', () => {
    expect(brokenIn('no unique fence', without(['fencesOccurrences'], crash))).toBeUndefined();
  });

  it('without both, an occurrence fires twice', () => {
    expect(
      brokenIn('no cursor check, no unique fence', without(['rereadsCursor', 'fencesOccurrences'], overlap)),
    ).toBe(INVARIANTS.noDuplicate);
  });

  it('once the cursor is put back, only the fence is left', () => {
    const restoration = { ...overlap, faults: ['restoration'], maxFaults: 1 } as const;

    expect(brokenIn('no unique fence, restored backup', without(['fencesOccurrences'], restoration))).toBe(
      INVARIANTS.noDuplicate,
    );
  });
});

describe('Each other guard is needed', () => {
  it.each<[string, string, World]>([
    [
      'no look at the journal, restored backup',
      INVARIANTS.cursorBehindJournal,
      without(['looksUpJournal'], { faults: ['restoration'], maxFaults: 1 }),
    ],
    ['no pause re-check', INVARIANTS.pauseBlocks, without(['rereadsPause'], { operations: ['pause'] })],
    [
      'takeover in two transactions',
      OBLIGATIONS.refire,
      without(['takesOverAtomically'], { faults: ['crash'], maxFaults: 2 }),
    ],
    [
      'outcome without compare-and-set',
      INVARIANTS.abandonedIsFinal,
      without(['comparesOutcomes'], { faults: ['freeze'], maxFaults: 1 }),
    ],
    ['no vigil', INVARIANTS.livingAreSpared, without(['keepsVigil'], { faults: ['outage'], maxFaults: 1 })],
    [
      'transactions without bounds',
      OBLIGATIONS.record,
      without(['boundsTransactions'], { misfirePolicy: 'skip', faults: ['freeze'], maxFaults: 1 }),
    ],
  ])('%s', (name, broken, world) => {
    expect(brokenIn(name, world)).toBe(broken);
  });
});
