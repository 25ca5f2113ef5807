import { setTimeout as delay } from 'node:timers/promises';
import type { CronStoreOptions, DefaultSchedule, RunOrigin } from '../../../lib/index.js';
import type { JobName } from '../../soak/node/protocol.js';
import type { SoakDatabase } from '../../soak/support/soak-database.js';
import { untilTrue } from '../../support/database.js';
import { FleetNode } from './fleet-node.js';
import type { InstalledVersion } from './installed-version.js';

/** How long a condition may take. Never a statement about speed: many processes share few cores. */
const PATIENCE_MS = 120_000;
const PROBE_PAUSE_MS = 100;

const STORE_OPTIONS: CronStoreOptions = {
  pollInterval: 1_000,
  // One that takes its time is not late yet: for one that is, a thread stands in, and says so.
  heartbeatInterval: '3s',
  // Long, so that nobody is declared dead who lives, also where the clock steps and processors are few.
  abandonedAfter: '12s',
  misfireThreshold: 2_000,
  runTimeout: '30s',
};

/** The jobs of every node; those that throw now and then say so. */
export const JOBS = ['quick', 'slow', 'failing', 'transactional'] as const satisfies readonly JobName[];

/** A schedule that the code of every node has, and owns. */
export const OWNED = {
  name: 'owned by the code',
  trigger: { kind: 'interval', everyMs: 1_000 },
  params: { ms: 0 },
  onRedeploy: 'update',
  revision: 1,
} satisfies DefaultSchedule;

/** The nodes of an upgrade, some of one version and some of the other, on one database. */
export class Fleet {
  /** Those that are at work, for whoever asks one of them; it changes. */
  readonly working: FleetNode[] = [];
  /** All that there ever were. */
  readonly nodes: FleetNode[] = [];
  readonly killed: FleetNode[] = [];

  constructor(
    private readonly database: SoakDatabase,
    private readonly folder: string,
  ) {}

  /** Starts a node, and waits until it has started. */
  async start(version: InstalledVersion, name: string, store: CronStoreOptions = {}): Promise<FleetNode> {
    const node = await FleetNode.start(version, this.folder, {
      name,
      databaseUrl: this.database.url,
      store: { ...STORE_OPTIONS, ...store },
      jobs: JOBS,
      defaultSchedules: { quick: OWNED },
    });
    this.nodes.push(node);
    this.working.push(node);
    return node;
  }

  /** Stops a node as a deployment does. */
  async stop(node: FleetNode): Promise<void> {
    this.withdraw(node);
    await node.stop();
  }

  /** Kills a node in the midst of a run of the schedule, as a crash does. */
  async killAtWork(node: FleetNode, scheduleName: string): Promise<void> {
    await this.untilRun(
      `${node.name} executes ${scheduleName}`,
      "status = 'running' and schedule_name = $1 and node_id = $2",
      [scheduleName, node.id],
    );
    this.withdraw(node);
    this.killed.push(node);
    await node.kill();
  }

  /** Waits until each of the versions has executed a run of each of the schedules that was claimed after now. */
  async untilExecutedBy(
    versions: readonly InstalledVersion[],
    scheduleNames: readonly string[],
  ): Promise<void> {
    const sinceUnixMs = await this.database.now();
    for (const version of versions) {
      for (const scheduleName of scheduleNames) {
        await this.untilRun(
          `${version.name} has executed ${scheduleName}`,
          "status = 'succeeded' and schedule_name = $1 and node_id = any($2) and claimed_at_unix_ms > $3",
          [scheduleName, this.idsOf(version), sinceUnixMs],
        );
      }
    }
  }

  /** Waits until a node of one version has repeated what a node of the other one began. */
  async untilRepeatedAcross(
    origin: Extract<RunOrigin, 'recovery' | 'retry'>,
    from: InstalledVersion,
    to: InstalledVersion,
  ): Promise<void> {
    await this.untilRun(
      `there is a ${origin} by ${to.name} of a run of ${from.name}`,
      `status = 'succeeded' and origin = $1 and node_id = any($2)
         and exists (select from crn_run b where b.id = r.repeats_run_id and b.node_id = any($3))`,
      [origin, this.idsOf(to), this.idsOf(from)],
    );
  }

  /** The latest of what each node has printed. */
  get logs(): string {
    return this.nodes.map(({ name, log }) => `--- ${name}\n${log}`).join('\n');
  }

  /** Kills whatever still lives. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.map((node) => node.kill()));
  }

  private withdraw(node: FleetNode): void {
    this.working.splice(this.working.indexOf(node), 1);
  }

  private idsOf(version: InstalledVersion): readonly string[] {
    return this.nodes.filter((node) => node.version === version).map(({ id }) => id);
  }

  /** Waits until the journal has a run of which a condition is true. */
  private async untilRun(description: string, condition: string, values: readonly unknown[]): Promise<void> {
    await untilTrue(
      description,
      async () => {
        const rows = await this.database.query(`select from crn_run r where ${condition} limit 1`, values);
        return rows.length > 0 || (await delay(PROBE_PAUSE_MS, false));
      },
      { timeoutMs: PATIENCE_MS },
    );
  }
}
