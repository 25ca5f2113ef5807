import { setTimeout as delay } from 'node:timers/promises';
import type { Sample } from '../node/protocol.js';
import type { SoakDatabase } from './soak-database.js';
import type { SoakNode } from './soak-node.js';

/** What a node uses at a moment, in numbers that must not grow. */
export type Usage = Readonly<Record<'rssMiB' | 'heapMiB' | 'handles' | 'timers' | 'connections', number>>;

/** A number of a node in two quarters of a soak, and whether it stayed what it was. */
export interface Trend {
  readonly node: string;
  readonly measure: keyof Usage;
  readonly secondQuarter: number;
  readonly lastQuarter: number;
  readonly isFlat: boolean;
}

const PERIOD_MS = 2_000;
/** Fewer say nothing. */
const LEAST_SAMPLES = 20;
const MIB = 1_048_576;

/**
 * How much more than in the second quarter, as a part and beyond that, is still flat: more than what the engine of
 * JavaScript moves by itself, and less than a leak adds up to.
 */
const SLACK: Readonly<Record<keyof Usage, readonly [part: number, beyond: number]>> = {
  rssMiB: [0.3, 64],
  heapMiB: [0.25, 16],
  handles: [0.25, 16],
  timers: [0.5, 48],
  connections: [0, 8],
};

/** Watches what the nodes use that live from the start to the end. */
export class MemoryWatch {
  private readonly usages = new Map<string, Usage[]>();

  constructor(
    private readonly nodes: readonly SoakNode[],
    private readonly database: SoakDatabase,
  ) {}

  async watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await Promise.all(this.nodes.map((node) => this.sample(node)));
      await delay(PERIOD_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Compares medians, so that no single moment decides. */
  trends(): Trend[] {
    return [...this.usages]
      .filter(([, usages]) => usages.length >= LEAST_SAMPLES)
      .flatMap(([node, usages]) => {
        const quarter = Math.floor(usages.length / 4);
        const [second, last] = [usages.slice(quarter, 2 * quarter), usages.slice(-quarter)];
        return (Object.keys(SLACK) as (keyof Usage)[]).map((measure) => {
          const secondQuarter = median(second.map((usage) => usage[measure]));
          const lastQuarter = median(last.map((usage) => usage[measure]));
          const [part, beyond] = SLACK[measure];
          const isFlat = lastQuarter <= secondQuarter * (1 + part) + beyond;
          return { node, measure, secondQuarter, lastQuarter, isFlat };
        });
      });
  }

  private async sample(node: SoakNode): Promise<void> {
    // A node that ends although it must not says so itself.
    const sample = await node.ask('sample').catch(() => undefined);
    if (sample === undefined) {
      return;
    }
    const connections = await this.database.countConnections(node.name);
    const usages = this.usages.get(node.name) ?? [];
    usages.push(usageOf(sample, connections));
    this.usages.set(node.name, usages);
  }
}

function usageOf({ rssBytes, heapBytes, resources }: Sample, connections: number): Usage {
  const timers = (resources['Timeout'] ?? 0) + (resources['Immediate'] ?? 0);
  const all = Object.values(resources).reduce((sum, count) => sum + count, 0);
  return { rssMiB: rssBytes / MIB, heapMiB: heapBytes / MIB, handles: all - timers, timers, connections };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which a part of the values lies; NaN of none. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((left, right) => left - right);
  return sorted[Math.min(Math.floor(sorted.length * part), sorted.length - 1)] ?? Number.NaN;
}
