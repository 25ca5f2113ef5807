import { Vigil } from '../../../lib/engine/upkeep/vigil.js';

const HEARTBEAT_MS = 10_000;
const ABANDONED_AFTER_MS = 60_000;

/** A vigil that has seen heartbeats at these times of the store's. */
function vigilAfter(...beats: readonly number[]): Vigil {
  const vigil = new Vigil(HEARTBEAT_MS, ABANDONED_AFTER_MS);
  beats.forEach((at) => vigil.onBeat(at));
  return vigil;
}

/** Heartbeats every interval, from one time to another. */
function beats(from: number, to: number): number[] {
  return Array.from({ length: (to - from) / HEARTBEAT_MS + 1 }, (_, index) => from + index * HEARTBEAT_MS);
}

describe('Vigil', () => {
  it('is not complete before the first heartbeat', () => {
    expect(vigilAfter().isComplete(1_000_000)).toBe(false);
  });

  it('is complete when heartbeats have succeeded for a full abandonedAfter', () => {
    expect(vigilAfter(...beats(0, 50_000)).isComplete(59_999)).toBe(false);
    expect(vigilAfter(...beats(0, 50_000)).isComplete(60_000)).toBe(true);
  });

  it('begins anew after a failed heartbeat', () => {
    const vigil = vigilAfter(...beats(0, 60_000));
    vigil.onFailure();
    expect(vigil.isComplete(60_001)).toBe(false);
    beats(70_000, 120_000).forEach((at) => vigil.onBeat(at));
    expect(vigil.isComplete(129_999)).toBe(false);
    expect(vigil.isComplete(130_000)).toBe(true);
  });

  it('begins anew after a gap, as a frozen process leaves it', () => {
    const vigil = vigilAfter(...beats(0, 60_000));
    vigil.onBeat(1_000_000);
    expect(vigil.isComplete(1_000_000)).toBe(false);
    beats(1_010_000, 1_060_000).forEach((at) => vigil.onBeat(at));
    expect(vigil.isComplete(1_060_000)).toBe(true);
  });

  it('begins anew when the time of the store was set back, instead of waiting until it has caught up', () => {
    const vigil = vigilAfter(...beats(1_000_000, 1_060_000));
    expect(vigil.isComplete(1_059_999)).toBe(false);
    beats(0, 50_000).forEach((at) => vigil.onBeat(at));
    expect(vigil.isComplete(59_999)).toBe(false);
    expect(vigil.isComplete(60_000)).toBe(true);
  });

  it('is not complete when the last heartbeat is old by the time it is asked', () => {
    const vigil = vigilAfter(...beats(0, 60_000));
    expect(vigil.isComplete(80_000)).toBe(true);
    expect(vigil.isComplete(80_001)).toBe(false);
  });
});
