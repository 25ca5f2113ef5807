import { ActiveRun } from '../../../lib/engine/execution/active-run.js';
import { RunSlots } from '../../../lib/engine/claiming/run-slots.js';
import { claimedRun } from './claimed-run.js';

function activeRun(slots: RunSlots): ActiveRun {
  const run = new ActiveRun(claimedRun(), 0, { timeoutMs: 0, abortGraceMs: 0 }, () =>
    slots.notifyWhenNoneActive(),
  );
  slots.occupy(run);
  return run;
}

describe('RunSlots', () => {
  it('counts what is free, what is active and what goes on although it is over', () => {
    const slots = new RunSlots(3);
    const [first, second] = [activeRun(slots), activeRun(slots)];
    expect(slots).toMatchObject({ size: 3, free: 1, active: [first, second], detachedCount: 0 });

    first.cancel('shutdown');
    expect(slots).toMatchObject({ free: 1, active: [second], detachedCount: 1 });

    slots.vacate(first);
    expect(slots).toMatchObject({ free: 2, active: [second], detachedCount: 0 });
  });

  it('keeps for a claim what is free, and no more', () => {
    const slots = new RunSlots(3);
    activeRun(slots);
    expect(slots.reserve(1)).toBe(1);
    expect(slots.free).toBe(1);
    expect(slots.reserve(5)).toBe(1);
    expect(slots.reserve(5)).toBe(0);
    slots.release(2);
    expect(slots.free).toBe(2);
  });

  it('vacates a slot once, however often it is told', () => {
    const slots = new RunSlots(1);
    const run = activeRun(slots);
    slots.vacate(run);
    slots.vacate(run);
    expect(slots.free).toBe(1);
  });

  it('waits for nothing where nothing is active', async () => {
    await expect(new RunSlots(1).untilNoneActive()).resolves.toBeUndefined();
  });

  it('waits until the outcome of every run is decided, not until every handler has settled', async () => {
    const slots = new RunSlots(2);
    const [first, second] = [activeRun(slots), activeRun(slots)];
    let isOver = false;
    const wait = slots.untilNoneActive().then(() => {
      isOver = true;
    });
    first.settle({ kind: 'returned' });
    slots.vacate(first);
    await Promise.resolve();
    expect(isOver).toBe(false);
    second.cancel('shutdown');
    await wait;
    expect(slots.detachedCount).toBe(1);
  });
});
