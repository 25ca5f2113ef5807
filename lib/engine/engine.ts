import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import {
  JOB_REGISTRY,
  JobHandlerExplorer,
  type JobHandlerRegistry,
  type RegisteredJob,
} from '../jobs/index.js';
import { CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { StoreDisabledError } from '../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../storage/index.js';
import { messageOf } from '../error-reading.js';
import { codeFacts, StoreLogger } from '../store-logger.js';
import { storeInWords } from '../store-name.js';
import { EMPTY_PASS, type PassResult } from './claiming/claimer.js';
import { EngineNodeFactory } from './engine-node.factory.js';
import { type EngineNode, LAST_WORDS_MS } from './engine-node.js';
import type { EngineState, EngineStatus } from './engine-status.js';
import { OtherEngines } from './other-engines.js';
import { LateJobs } from './start-up/late-jobs.js';
import { StoreStartup } from './start-up/store-startup.js';

/**
 * The engine of this process: it claims what is due, executes it, and recovers what others left behind. It starts with
 * the application and stops with it.
 */
@Injectable()
export class CronStoreEngine
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new StoreLogger();
  private readonly lateJobs = new LateJobs({
    takeUp: (jobs) => this.takeUp(jobs),
    onFailure: (error) =>
      this.logger.error(
        `What was registered late could not be taken up: ${messageOf(error)}`,
        codeFacts(error),
        error,
      ),
  });
  private node: EngineNode | undefined;
  private starting: Promise<void> | undefined;
  private draining: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;

  /** @internal The module makes it. */
  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly explorer: JobHandlerExplorer,
    private readonly startup: StoreStartup,
    private readonly nodes: EngineNodeFactory,
    private readonly others: OtherEngines,
  ) {}

  /**
   * Migrates where asked to, and checks the tables and whose the store is, before anything else of the application uses
   * it. Waits for a database that cannot be reached, for `startupTimeout`.
   *
   * @throws StoreSchemaError, which fails the boot, when the tables are not what this version needs;
   *   StoreEnvironmentError (2708) when the store is another environment's; what the database throws.
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.startup.prepareStore();
    } catch (error) {
      // Nest calls no shutdown hook where a boot fails, and open connections would keep the process alive.
      await this.storage?.connections.close();
      await this.others.stop();
      throw error;
    }
  }

  /** Registers the node, seeds, and starts: by now every module has registered its handlers and its listeners. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.storage === undefined) {
      return;
    }
    this.registry.announceLateJobs((job) => this.lateJobs.add(job));
    if (this.options.execute) {
      this.starting = this.startNode(this.storage);
      await this.starting;
    }
  }

  /**
   * Drains while what handlers depend on is still there. A database that does not answer is not waited for any longer. The
   * application's other stores drain meanwhile: Nest asks one module after the other, and `shutdownTimeout` bounds all.
   */
  async onModuleDestroy(): Promise<void> {
    this.others.startDraining();
    await this.drain();
    this.storage?.connections.giveUpAfter(LAST_WORDS_MS);
  }

  /** Closes the store's connections. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping ??= this.stop();
    await this.stopping;
  }

  /** What the engine is doing. */
  status(): EngineStatus {
    const { node } = this;
    const ofNode = node === undefined ? {} : { nodeId: node.id, lastPassAgeMs: node.poller.lastPassAgeMs };
    return {
      state: this.state(),
      faults: node?.faults ?? [],
      ...ofNode,
      slots: this.options.execute ? this.options.maxConcurrent : 0,
      running: node?.slots.active.length ?? 0,
      detached: node?.slots.detachedCount ?? 0,
    };
  }

  /**
   * Makes one pass now: claims what is due, up to the free slots, and starts it. Resolves when the claim has committed,
   * not when the handlers have settled. For tests and scripts; the engine makes its own.
   *
   * @throws StoreDisabledError (2705) where the store is disabled; what the database throws.
   */
  async runOnce(): Promise<PassResult> {
    if (this.storage === undefined) {
      throw new StoreDisabledError();
    }
    const { started, journaled } = (await this.node?.runOnce()) ?? EMPTY_PASS;
    return { started, journaled };
  }

  /**
   * Lets listeners in this process hear what its node has to tell of runs that are over. For the testing kit.
   *
   * @returns whether that is all; if not, ask again.
   * @internal
   */
  async tellOf(runIds: ReadonlySet<string>): Promise<boolean> {
    return (await this.node?.tellOf(runIds)) ?? true;
  }

  /**
   * Registers the decorated handlers of modules that were loaded since the start, as by Nest's `LazyModuleLoader`: nobody
   * else looks there. Waits until other nodes know of them, and of whatever else was registered since the start, and until
   * their default schedules are seeded.
   *
   * @returns the names of the jobs that were found.
   * @throws JobHandlerInvalidError; an error that names the handler when its default schedule is invalid; what the
   *   database throws.
   */
  async discoverHandlers(): Promise<readonly string[]> {
    const names = await this.explorer.discover();
    await this.lateJobs.settle();
    return names;
  }

  /**
   * Stops claiming and lets running handlers finish, for `shutdownTimeout`; then aborts them and waits `abortGrace`.
   * Call it before `app.close()` where handlers depend on what other modules tear down in `onModuleDestroy`; otherwise
   * closing the application does it. There is no way back: a drained engine does not claim again.
   */
  async drain(): Promise<void> {
    this.draining ??= this.node?.drain() ?? Promise.resolve();
    await this.draining;
  }

  private async startNode(storage: Storage): Promise<void> {
    const node = this.nodes.create(storage);
    try {
      await this.startup.introduce(node);
    } catch (error) {
      storage.connections.giveUpAfter(LAST_WORDS_MS);
      await node.leave();
      await storage.connections.close();
      await this.others.stop();
      throw error;
    }
    if (this.draining !== undefined) {
      // Asked to stop while it booted: there is no way back.
      await node.leave();
      return;
    }
    this.node = node;
    node.start();
    const nodeId = node.id;
    const jobs = listOf(this.registry.names());
    this.logger.log(`The node ${nodeId} of ${storeInWords(this.options.name)} executes ${jobs}.`, { nodeId });
  }

  private async takeUp(jobs: readonly RegisteredJob[]): Promise<void> {
    // Why the start failed is told to whoever waits for that.
    await this.starting?.catch(() => undefined);
    const { node } = this;
    if (node === undefined || this.draining !== undefined) {
      return;
    }
    await this.startup.introduceJobs(node, jobs);
    node.poller.wake();
    const nodeId = node.id;
    const names = listOf(jobs.map(({ name }) => name));
    this.logger.log(`The node ${nodeId} executes ${names} too, from now on.`, { nodeId });
  }

  private async stop(): Promise<void> {
    await this.node?.leave();
    await this.storage?.connections.close();
  }

  private state(): EngineState {
    if (this.storage === undefined || !this.options.execute) {
      return 'disabled';
    }
    if (this.stopping !== undefined) {
      return 'stopped';
    }
    if (this.draining !== undefined) {
      return 'stopping';
    }
    if (this.node === undefined) {
      return 'starting';
    }
    return this.node.faults.length === 0 ? 'running' : 'degraded';
  }
}

function listOf(jobNames: readonly string[]): string {
  return jobNames.length === 0
    ? 'no jobs'
    : `the jobs ${jobNames.map((name) => JSON.stringify(name)).join(', ')}`;
}
