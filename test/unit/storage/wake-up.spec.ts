import { heardWakeUp } from '../../../lib/storage/wake-ups/wake-up.js';

describe('what is heard of a wake-up', () => {
  it.each(['claim', 'cancel'] as const)('is its kind: %s', (kind) => {
    expect(heardWakeUp(kind)).toBe(kind);
  });

  it.each([undefined, '', 'a word of tomorrow'])(
    'is unknown where this version does not know it: %j',
    (payload) => {
      expect(heardWakeUp(payload)).toBe('unknown');
    },
  );
});
