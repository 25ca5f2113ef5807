import type { SlotUse } from '../../telemetry/index.js';
import type { ActiveRun } from '../execution/active-run.js';

/**
 * The node's slots. A run takes one until its handler has settled, also when its outcome was decided before: a node
 * whose handlers never end stops claiming instead of piling them up.
 */
export class RunSlots {
  private readonly occupants = new Set<ActiveRun>();
  private whenEmpty: (() => void)[] = [];
  private reserved = 0;

  constructor(readonly size: number) {}

  /** Slots that runs have. */
  get taken(): number {
    return this.occupants.size;
  }

  /** Slots that neither a run nor a claim under way has. */
  get free(): number {
    return this.size - this.occupants.size - this.reserved;
  }

  /** Runs whose outcome is open. */
  get active(): readonly ActiveRun[] {
    return [...this.occupants].filter((run) => !run.isOver);
  }

  /** How many handlers go on although their run is over. */
  get detachedCount(): number {
    return this.occupants.size - this.active.length;
  }

  /** Every slot by what takes it. */
  get use(): SlotUse {
    const { taken, detachedCount } = this;
    return { used: taken - detachedCount, detached: detachedCount, free: this.size - taken };
  }

  /** Keeps up to so many slots for a claim. @returns how many. */
  reserve(count: number): number {
    const reserved = Math.max(0, Math.min(count, this.free));
    this.reserved += reserved;
    return reserved;
  }

  /** Gives back what was reserved. */
  release(count: number): void {
    this.reserved -= count;
  }

  occupy(run: ActiveRun): void {
    this.occupants.add(run);
  }

  vacate(run: ActiveRun): void {
    this.occupants.delete(run);
    this.notifyWhenNoneActive();
  }

  /** Resolves when no run's outcome is open any more. */
  async untilNoneActive(): Promise<void> {
    if (this.active.length > 0) {
      await new Promise<void>((resolve) => this.whenEmpty.push(resolve));
    }
  }

  /** To be called when a run is over. */
  notifyWhenNoneActive(): void {
    // Asked at the end of every run, and waited for only by a shutdown: nobody counts in vain.
    if (this.whenEmpty.length > 0 && this.active.length === 0) {
      this.whenEmpty.forEach((resolve) => resolve());
      this.whenEmpty = [];
    }
  }
}
