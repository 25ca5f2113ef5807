import { decideOverlap } from '../../../lib/schedules/index.js';

describe('decideOverlap', () => {
  it.each(['schedule', 'manual', 'recovery'] as const)('runs a %s fire while nothing else runs', (origin) => {
    expect(decideOverlap('forbid', origin, false)).toBe('run');
    expect(decideOverlap('allow', origin, false)).toBe('run');
  });

  it.each(['schedule', 'manual', 'recovery'] as const)(
    'runs a %s fire beside others under allow',
    (origin) => {
      expect(decideOverlap('allow', origin, true)).toBe('run');
    },
  );

  it.each([
    ['schedule', 'skip'],
    ['manual', 'skip'],
    ['recovery', 'wait'],
  ] as const)('makes a %s fire %s under forbid', (origin, decision) => {
    expect(decideOverlap('forbid', origin, true)).toBe(decision);
  });
});
