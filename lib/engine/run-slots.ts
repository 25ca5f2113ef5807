import type { SlotUse } from '../telemetry/index.js';
import type { ActiveRun } from './active-run.js';

/**
 * The node's slots. A run takes one until its handler has settled, also when its outcome was decided before: a node
 * whose handlers never end stops claiming instead of piling them up.
 */
export class RunSlots {
  private readonly occupants = new Set<ActiveRun>();
  private whenEmpty: (() => void)[] = [];

  constructor(readonly size: number) {}

  get free(): number {
    return this.size - this.occupants.size;
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
    const { free, detachedCount } = this;
    return { used: this.size - free - detachedCount, detached: detachedCount, free };
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
