import { validate, version } from 'uuid';
import { mintId, smallestIdAt } from '../../../lib/storage/statements/identifiers.js';

const NOW = Date.UTC(2026, 0, 1);

describe('mintId', () => {
  it('mints UUIDs of version 7', () => {
    const id = mintId(NOW);
    expect(validate(id)).toBe(true);
    expect(version(id)).toBe(7);
  });

  it('sorts by the time it is given, whatever was minted before', () => {
    const [late, early] = [mintId(NOW + 1), mintId(NOW)];
    expect(early < late).toBe(true);
  });

  it('sorts by the order of minting within a millisecond', () => {
    const ids = Array.from({ length: 10_000 }, () => mintId(NOW));
    expect(ids.toSorted()).toEqual(ids);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('repeats no id when the time goes back and forth', () => {
    const ids = Array.from({ length: 10_000 }, (_, index) => mintId(NOW + (index % 2)));
    expect(new Set(ids).size).toBe(ids.length);
  });
});

describe('smallestIdAt', () => {
  it('separates what was minted before from what was minted at an instant or later', () => {
    const bound = smallestIdAt(NOW);
    expect(mintId(NOW - 1) < bound).toBe(true);
    expect(bound <= mintId(NOW)).toBe(true);
    expect(validate(bound)).toBe(true);
  });

  it('is an id also where the instant lies before the epoch', () => {
    expect(validate(smallestIdAt(-1))).toBe(true);
  });
});
