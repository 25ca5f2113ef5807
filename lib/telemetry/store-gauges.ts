import { setTimeout as delay } from 'node:timers/promises';
import type { BatchObservableResult, Meter, Observable, ObservableGauge } from '@opentelemetry/api';
import type { Load } from '../storage/index.js';
import { ATTRIBUTE, type MeasuredStore, storeAttributes } from './attributes.js';

/** How long an export waits for the database: whoever scrapes would else give up, and miss everything else as well. */
const LONGEST_READ_MS = 2_000;

/** The slots of a node at this moment. */
export interface SlotUse {
  readonly used: number;
  readonly detached: number;
  readonly free: number;
}

/** What gauges show. */
export interface GaugeSources extends MeasuredStore {
  readonly slots: () => SlotUse;
  /** What is in the store, for all nodes together. */
  readonly load: () => Promise<Load>;
}

/**
 * Shows the slots of this node and the load of the store whenever metrics are collected, which without an SDK is
 * never. Where the database does not answer in time, what is in the store is left out, `cron_store.up` says so, and the
 * rest is collected.
 */
export class StoreGauges {
  private readonly slots: Observable;
  private readonly due: ObservableGauge;
  private readonly oldestDue: ObservableGauge;
  private readonly nodes: ObservableGauge;
  private readonly up: ObservableGauge;
  private reading: Promise<Load | undefined> | undefined;

  constructor(
    private readonly meter: Meter,
    private readonly sources: GaugeSources,
  ) {
    this.slots = meter.createObservableUpDownCounter('cron_store.slots', {
      unit: '{slot}',
      description: 'Slots of this node by what takes them.',
    });
    this.due = meter.createObservableGauge('cron_store.due', {
      unit: '{fire}',
      description: 'Fires of the whole store that are due and not claimed, up to 10,000 of each kind.',
    });
    this.oldestDue = meter.createObservableGauge('cron_store.due.age', {
      unit: 's',
      description: 'How long the oldest fire of the whole store has been due; 0 where none is.',
    });
    this.nodes = meter.createObservableGauge('cron_store.nodes', {
      unit: '{node}',
      description: 'Nodes of the whole store that are alive.',
    });
    this.up = meter.createObservableGauge('cron_store.up', {
      description: '1 where the database answered this collection in time, else 0.',
    });
  }

  start(): void {
    this.meter.addBatchObservableCallback(this.observeSlots, [this.slots]);
    this.meter.addBatchObservableCallback(this.observeLoad, this.ofTheStore);
  }

  stop(): void {
    this.meter.removeBatchObservableCallback(this.observeSlots, [this.slots]);
    this.meter.removeBatchObservableCallback(this.observeLoad, this.ofTheStore);
  }

  private get ofTheStore(): Observable[] {
    return [this.due, this.oldestDue, this.nodes, this.up];
  }

  private readonly observeSlots = (result: BatchObservableResult): void => {
    for (const [state, count] of Object.entries(this.sources.slots())) {
      result.observe(this.slots, count, { ...this.attributes(), [ATTRIBUTE.slotState]: state });
    }
  };

  private readonly observeLoad = async (result: BatchObservableResult): Promise<void> => {
    const load = await this.readInTime();
    result.observe(this.up, load === undefined ? 0 : 1, this.attributes());
    if (load !== undefined) {
      result.observe(this.due, load.dueCount, this.attributes());
      result.observe(this.oldestDue, load.oldestDueMs / 1_000, this.attributes());
      result.observe(this.nodes, load.aliveNodes, this.attributes());
    }
  };

  /** One read at a time, however often somebody collects. */
  private async readInTime(): Promise<Load | undefined> {
    this.reading ??= this.sources
      .load()
      .catch(() => undefined)
      .finally(() => {
        this.reading = undefined;
      });
    const limit = new AbortController();
    try {
      return await Promise.race([
        this.reading,
        delay(LONGEST_READ_MS, undefined, { signal: limit.signal, ref: false }),
      ]);
    } finally {
      limit.abort();
    }
  }

  private attributes() {
    return storeAttributes(this.sources);
  }
}
