import { setTimeout as delay } from 'node:timers/promises';
import { jest } from '@jest/globals';
import { Client } from 'pg';
import type { CronStoreOptions, RunStatus } from '../../../lib/index.js';
import { applicationUrl, CAN_LISTEN, type TestDatabase, untilTrue } from '../../support/database.js';
import type { Behaviour, DataSourceProgram, JobProgram, NodeProgram } from '../node/protocol.js';
import { createClusterDatabase } from './cluster-database.js';
import { ClusterNode } from './cluster-node.js';
import { compileNodeProgram } from './compile.js';
import { DatabaseProxy } from './database-proxy.js';
import { checkInvariants } from './invariants.js';
import { Journal } from './journal.js';

/** How a node of a test is. */
export interface NodeOptions {
  /** Jobs by name: what they do, or that with more. Default: one job `work` that returns at once. */
  readonly jobs?: Readonly<Record<string, Behaviour | JobProgram>>;
  readonly store?: CronStoreOptions;
  /** The way to the database. Default: none that can be disturbed. */
  readonly proxy?: DatabaseProxy;
  readonly dataSource?: DataSourceProgram;
  /** How far the clock of its process is ahead, in ms. Default 0. */
  readonly clockAheadMs?: number;
  /** Default false. */
  readonly diesAfterClaim?: boolean;
  /** Default false. */
  readonly diesBeforeCommit?: boolean;
}

/** Short enough for a test, and long enough that none of the processes that share two cores is silent for as long. */
export const ABANDONED_AFTER_MS = 4_000;

const STORE_OPTIONS: CronStoreOptions = {
  autoMigrate: true,
  listen: CAN_LISTEN,
  pollInterval: 250,
  heartbeatInterval: 500,
  abandonedAfter: ABANDONED_AFTER_MS,
  abortGrace: 200,
  shutdownTimeout: '20s',
};

/** How long a condition may take. Never a statement about speed: many processes share few cores. */
const PATIENCE_MS = 120_000;

/** Between two looks at a condition: what they ask of the database is to leave the nodes their share. */
const PROBE_PAUSE_MS = 50;

jest.setTimeout(2 * PATIENCE_MS);

/** The nodes of one test, their database, and what is known of both. */
export class Cluster {
  readonly journal: Journal;
  private readonly nodes: ClusterNode[] = [];
  private readonly proxies: DatabaseProxy[] = [];

  /** @param records where handlers and events are written down, and gates are opened. */
  private constructor(
    readonly database: TestDatabase,
    private readonly records: TestDatabase,
  ) {
    this.journal = new Journal(database, records);
  }

  /** A cluster without nodes, on a fresh database. */
  static async create(): Promise<Cluster> {
    await compileNodeProgram();
    const database = await createClusterDatabase();
    return new Cluster(database, database);
  }

  /** A cluster on a server that the test may harm: records are kept on that of the test run. */
  static async createOn(serverUrl: string): Promise<Cluster> {
    await compileNodeProgram();
    return new Cluster(await createClusterDatabase(serverUrl), await createClusterDatabase());
  }

  /** Starts a node and waits until it has started. */
  async start(name: string, options: NodeOptions = {}): Promise<ClusterNode> {
    const node = this.launch(name, options);
    await node.untilStarted();
    return node;
  }

  /** Starts a node, and does not wait. */
  launch(name: string, options: NodeOptions = {}): ClusterNode {
    const node = new ClusterNode(this.programOf(name, options));
    this.nodes.push(node);
    return node;
  }

  /** Starts nodes at the same time, all alike. */
  async startAll<const Names extends readonly string[]>(
    names: Names,
    options: NodeOptions = {},
  ): Promise<{ [Index in keyof Names]: ClusterNode }> {
    const nodes = await Promise.all(names.map((name) => this.start(name, options)));
    return nodes as { [Index in keyof Names]: ClusterNode };
  }

  /** A way to the database, for the nodes that are started with it. */
  async openProxy(): Promise<DatabaseProxy> {
    const proxy = await DatabaseProxy.open(this.database.url);
    this.proxies.push(proxy);
    return proxy;
  }

  /** Lets the handlers that wait for a gate go on, those of now and of later. */
  async openGate(gate: string): Promise<void> {
    await this.records.query('insert into cluster_gate values ($1) on conflict do nothing', [gate]);
  }

  /** Moves the store's clock forward. */
  async advanceClock(ms: number): Promise<void> {
    await this.database.query('update cluster_clock set ahead_ms = ahead_ms + $1', [ms]);
  }

  /** Does some work while nobody can write to the journal; whoever wants to, waits. */
  async whileJournalIsLocked(work: () => Promise<void>): Promise<void> {
    const client = new Client({ connectionString: this.database.url });
    await client.connect();
    try {
      await client.query('begin; lock table crn_run in share mode');
      await work();
    } finally {
      await client.end();
    }
  }

  /** The store's time. */
  async now(): Promise<number> {
    const [row] = await this.database.query<{ now: number }>('select cluster_now()::float as now');
    return row?.now ?? Number.NaN;
  }

  /** Ends every connection that a node has at this moment, from the server's side; how many there were. */
  async terminateConnectionsOf(node: ClusterNode): Promise<number> {
    const rows = await this.database.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and application_name = $1`,
      [node.name],
    );
    return rows.length;
  }

  /** Waits until the probe answers true. */
  async until(description: string, probe: () => boolean | Promise<boolean>): Promise<void> {
    try {
      await untilTrue(description, async () => (await probe()) || (await delay(PROBE_PAUSE_MS, false)), {
        timeoutMs: PATIENCE_MS,
      });
    } catch (error) {
      throw new Error(`${String(error)}\n${this.logs()}`, { cause: error });
    }
  }

  /** Waits until the node may declare others dead: its heartbeats have succeeded for long enough. */
  async untilWatchful(node: ClusterNode, abandonedAfterMs = ABANDONED_AFTER_MS): Promise<void> {
    await this.until(`${node.name} may declare others dead`, async () => {
      const [row] = await this.database.query<{ watched: number }>(
        'select (heartbeat_at_unix_ms - started_at_unix_ms)::float as watched from crn_node where id = $1',
        [node.id],
      );
      return row !== undefined && row.watched > abandonedAfterMs;
    });
  }

  /** Waits until a handler of the schedule has started for the so many-th time. */
  async untilStarted(scheduleName: string, times = 1): Promise<void> {
    await this.until(`${scheduleName} has started ${times} times`, async () => {
      const deeds = await this.journal.deeds(scheduleName);
      return deeds.filter(({ deed }) => deed === 'started').length >= times;
    });
  }

  /** Waits until the schedule has runs of these statuses, in the order of their claims, and no others. */
  async untilRuns(scheduleName: string, statuses: readonly RunStatus[]): Promise<void> {
    await this.until(`the runs of ${scheduleName} are ${statuses.join(', ')}`, async () => {
      const runs = await this.journal.runs(scheduleName);
      return runs.map(({ status }) => status).join() === statuses.join();
    });
  }

  /**
   * Ends the scenario: waits until every run so far is over and what is owed was fired again, stops the nodes, and
   * checks that what the journal and the records say is possible only where nothing was lost and nothing doubled.
   *
   * @param expectsRefusedFires whether the scenario makes claims of occurrences that the journal has already.
   */
  async finish({ expectsRefusedFires = false } = {}): Promise<void> {
    const overAtUnixMs = await this.now();
    await this.until('nothing is left to finish or to recover', async () => {
      const [row] = await this.database.query<{ left: boolean }>(
        `select exists (select from crn_run where status = 'running' and claimed_at_unix_ms < $1)
           or exists (select from crn_fire_request where origin = 'recovery') as left`,
        [overAtUnixMs],
      );
      return row?.left === false;
    });
    await Promise.all(this.nodes.filter((node) => node.isAlive).map((node) => node.stop()));
    try {
      await checkInvariants(this.journal);
      if (!expectsRefusedFires) {
        this.checkThatNoFireWasRefused();
      }
    } catch (error) {
      throw new Error(`${String(error)}\n${this.logs()}`, { cause: error });
    }
  }

  /** Kills whatever still lives, and deletes the database. */
  async close(): Promise<void> {
    await Promise.all(this.nodes.filter((node) => node.isAlive).map((node) => node.kill()));
    await Promise.all(this.proxies.map((proxy) => proxy.close()));
    await this.database.drop();
    if (this.records !== this.database) {
      await this.records.drop();
    }
  }

  /** Row locks and cursors suffice: unless somebody moves a cursor back, the index behind them is never needed. */
  private checkThatNoFireWasRefused(): void {
    const refusing = this.nodes.filter((node) => node.log.includes('the journal has it already'));
    if (refusing.length > 0) {
      throw new Error(`${refusing.map((node) => node.name).join(', ')} claimed what was claimed already.`);
    }
  }

  private programOf(name: string, options: NodeOptions): NodeProgram {
    const {
      jobs = { work: 'quick' },
      store = {},
      proxy,
      dataSource = {},
      clockAheadMs = 0,
      diesAfterClaim = false,
      diesBeforeCommit = false,
    } = options;
    return {
      name,
      databaseUrl: proxy?.url ?? applicationUrl(this.database.url),
      dataSource,
      recordUrl: this.records.url,
      store: { ...STORE_OPTIONS, ...store },
      jobs: Object.fromEntries(
        Object.entries(jobs).map(([job, program]) => [
          job,
          typeof program === 'string' ? { behaviour: program } : program,
        ]),
      ),
      clockAheadMs,
      diesAfterClaim,
      diesBeforeCommit,
    };
  }

  private logs(): string {
    return this.nodes.map(({ name, log }) => `--- ${name}\n${log.slice(-4_000)}`).join('\n');
  }
}
