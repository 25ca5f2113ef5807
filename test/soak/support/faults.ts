import { setTimeout as delay } from 'node:timers/promises';
import type { DatabaseServer } from './database-server.js';
import type { Random } from './random.js';
import type { SoakDatabase } from './soak-database.js';
import type { Affliction, SoakNode } from './soak-node.js';

/** The faults there are, and how often each was done. */
export type FaultName =
  | 'connections terminated'
  | 'connections dropped'
  | 'connections delayed'
  | 'connections refused'
  | 'black holes'
  | 'freezes'
  | 'long freezes'
  | 'kills'
  | 'restarts'
  | 'database restarts'
  | 'database crashes'
  | 'clock steps';

/** Why a fault cannot be done now is nobody's concern: another one is. */
type Fault = () => Promise<void> | undefined;

/** Between two faults. */
const PERIOD_MS = 1_000;

/** Does one random fault a second. */
export class Faults {
  readonly counts = new Map<FaultName, number>();
  private readonly underWay = new Set<Promise<unknown>>();
  private isServerRestarting = false;
  private readonly faults: readonly {
    readonly weight: number;
    readonly name: FaultName;
    readonly begin: Fault;
  }[] = [
    { weight: 26, name: 'connections terminated', begin: () => this.terminate() },
    { weight: 14, name: 'connections dropped', begin: () => this.drop() },
    { weight: 10, name: 'connections delayed', begin: () => this.slowDown() },
    { weight: 6, name: 'connections refused', begin: () => this.refuse() },
    { weight: 6, name: 'black holes', begin: () => this.blackHole() },
    { weight: 10, name: 'freezes', begin: () => this.freeze(200, 2_500) },
    {
      weight: 3,
      name: 'long freezes',
      begin: () => this.freeze(1.2 * this.abandonedAfterMs, 2.5 * this.abandonedAfterMs),
    },
    { weight: 10, name: 'kills', begin: () => this.restart((node) => node.kill()) },
    { weight: 5, name: 'restarts', begin: () => this.restart((node) => node.stop()) },
    { weight: 2, name: 'database restarts', begin: () => this.restartServer('fast') },
    { weight: 2, name: 'database crashes', begin: () => this.restartServer('immediate') },
    { weight: 1, name: 'clock steps', begin: () => this.advanceClock() },
  ];

  constructor(
    private readonly random: Random,
    private readonly nodes: readonly SoakNode[],
    private readonly database: SoakDatabase,
    private readonly server: DatabaseServer,
    private readonly abandonedAfterMs: number,
  ) {}

  /** Does faults until the signal aborts; resolves when the last of them is over. */
  async rage(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      this.beginOne();
      await delay(PERIOD_MS, undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(this.underWay);
  }

  private beginOne(): void {
    for (;;) {
      const { name, begin } = this.random.weighted(this.faults);
      const begun = begin();
      if (begun !== undefined) {
        const done: Promise<unknown> = begun.finally(() => this.underWay.delete(done));
        this.underWay.add(done);
        this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
        return;
      }
    }
  }

  private async terminate(): Promise<void> {
    await this.database.terminateConnections(this.random.pick(this.nodes)?.name ?? '');
  }

  private async drop(): Promise<void> {
    this.random.pick(this.nodes)?.proxy.drop();
  }

  private slowDown(): Promise<void> | undefined {
    const delayMs = this.random.integer(20, 300);
    return this.afflict('cut off', async ({ proxy }) => {
      proxy.slowDown(delayMs);
      await delay(this.random.integer(500, 3_000));
      proxy.slowDown(0);
    });
  }

  private refuse(): Promise<void> | undefined {
    return this.afflict('cut off', async ({ proxy }) => {
      await proxy.refuse();
      await delay(this.random.integer(300, 4_000));
      await proxy.accept();
    });
  }

  private blackHole(): Promise<void> | undefined {
    return this.afflict('cut off', async ({ proxy }) => {
      proxy.blackHole();
      await delay(this.random.integer(500, 1.5 * this.abandonedAfterMs));
      proxy.passOn();
    });
  }

  private freeze(leastMs: number, mostMs: number): Promise<void> | undefined {
    return this.afflict('frozen', async (node) => {
      node.freeze();
      await delay(this.random.integer(leastMs, mostMs));
      node.thaw();
    });
  }

  private restart(end: (node: SoakNode) => Promise<void>): Promise<void> | undefined {
    return this.afflict(
      'restarting',
      async (node) => {
        await end(node);
        await delay(this.random.integer(0, 2_000));
      },
      (node) => !node.options.isSteady,
    );
  }

  private restartServer(mode: 'fast' | 'immediate'): Promise<void> | undefined {
    if (this.isServerRestarting) {
      return undefined;
    }
    this.isServerRestarting = true;
    return this.server.restart(mode).finally(() => (this.isServerRestarting = false));
  }

  private async advanceClock(): Promise<void> {
    await this.database.advanceClock(this.random.integer(1_000, 30_000));
  }

  /** Does something to a random node to which nothing else is being done. */
  private afflict(
    affliction: Exclude<Affliction, 'none'>,
    work: (node: SoakNode) => Promise<void>,
    isEligible: (node: SoakNode) => boolean = () => true,
  ): Promise<void> | undefined {
    const node = this.random.pick(this.nodes.filter((candidate) => candidate.isUp && isEligible(candidate)));
    if (node === undefined) {
      return undefined;
    }
    node.affliction = affliction;
    return this.workAndHeal(node, work);
  }

  private async workAndHeal(node: SoakNode, work: (node: SoakNode) => Promise<void>): Promise<void> {
    await work(node);
    await node.heal();
  }
}
