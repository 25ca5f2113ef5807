import type { BatchObservableCallback, BatchObservableResult, Meter, Observable } from '@opentelemetry/api';
import type { Load } from '../../../lib/storage/index.js';
import { StoreGauges } from '../../../lib/telemetry/index.js';

/** A meter that collects when a test says so. */
class CollectingMeter {
  readonly callbacks = new Set<BatchObservableCallback>();
  readonly createObservableGauge = (name: string) => name;
  readonly createObservableUpDownCounter = (name: string) => name;

  addBatchObservableCallback(callback: BatchObservableCallback): void {
    this.callbacks.add(callback);
  }

  removeBatchObservableCallback(callback: BatchObservableCallback): void {
    this.callbacks.delete(callback);
  }

  async collect(): Promise<Readonly<Record<string, number>>> {
    const values: Record<string, number> = {};
    const observe = (metric: Observable, value: number) => {
      values[metric as unknown as string] = value;
    };
    const result = { observe } as unknown as BatchObservableResult;
    for (const callback of this.callbacks) {
      await callback(result);
    }
    return values;
  }
}

const SLOTS = { used: 1, detached: 0, free: 3 };

function gaugesReading(load: () => Promise<Load>) {
  const meter = new CollectingMeter();
  const gauges = new StoreGauges(meter as unknown as Meter, {
    store: 'default',
    schema: 'public',
    slots: () => SLOTS,
    load,
  });
  gauges.start();
  return { meter, gauges };
}

it('shows what the store says', async () => {
  const { meter } = gaugesReading(() => Promise.resolve({ dueCount: 2, oldestDueMs: 1_500, aliveNodes: 3 }));
  expect(await meter.collect()).toMatchObject({
    'cron_store.due': 2,
    'cron_store.due.age': 1.5,
    'cron_store.nodes': 3,
    'cron_store.up': 1,
  });
});

it('leaves out what a store says that does not answer, and asks it once at a time', async () => {
  let asked = 0;
  const { meter } = gaugesReading(() => {
    asked += 1;
    return new Promise(() => undefined);
  });
  const collections = await Promise.all([meter.collect(), meter.collect()]);
  for (const values of collections) {
    expect(values).toEqual({ 'cron_store.slots': 3, 'cron_store.up': 0 });
  }
  expect(asked).toBe(1);
});

it('asks again after a failure', async () => {
  const answers = [
    Promise.reject<Load>(new Error('away')),
    Promise.resolve({ dueCount: 0, oldestDueMs: 0, aliveNodes: 1 }),
  ];
  const { meter } = gaugesReading(() => answers.shift() ?? Promise.reject(new Error('asked too often')));
  expect(await meter.collect()).toMatchObject({ 'cron_store.up': 0 });
  expect(await meter.collect()).toMatchObject({ 'cron_store.up': 1 });
});

it('is collected no more after its end', async () => {
  const { meter, gauges } = gaugesReading(() => Promise.reject(new Error('nobody asks')));
  gauges.stop();
  expect(await meter.collect()).toEqual({});
});
