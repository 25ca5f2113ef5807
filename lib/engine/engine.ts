import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import type { DataSource } from 'typeorm';
import { RunEventPublisher } from '../events/index.js';
import {
  ExtensionsExplorer,
  JOB_REGISTRY,
  JobHandlerExplorer,
  type JobHandlerRegistry,
  type RegisteredJob,
} from '../jobs/index.js';
import {
  DefaultScheduleSeeder,
  Environments,
  ExpiredPauses,
  JobCoverage,
  ZoneRulesKeeper,
} from '../manager/index.js';
import { CRON_STORE_DATA_SOURCE, CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { StoreDisabledError } from '../schedules/index.js';
import {
  checkSchema,
  checkServerVersion,
  CRON_STORE_STORAGE,
  explained,
  migrate,
  type Storage,
} from '../storage/index.js';
import { codeFacts, messageOf, StoreLogger } from '../store-logger.js';
import { storeInWords } from '../store-name.js';
import { storePartsOf } from '../store-parts.js';
import { Stores } from '../stores.js';
import { EMPTY_PASS, type PassResult } from './claiming/claimer.js';
import { warnOfWrongClock } from './start-up/clock-check.js';
import { DatabaseWait } from './start-up/database-wait.js';
import { EngineNode, LAST_WORDS_MS } from './engine-node.js';
import type { EngineState, EngineStatus } from './engine-status.js';
import { warnOfHold } from './start-up/hold-check.js';
import { LateJobs } from './start-up/late-jobs.js';
import { giveStartWarnings, type StartWarning } from './start-up/start-warnings.js';
import { prunedTables } from './upkeep/retention.js';

/**
 * The engine of this process: it claims what is due, executes it, and recovers what others left behind. It starts with
 * the application and stops with it.
 */
@Injectable()
export class CronStoreEngine
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new StoreLogger();
  private readonly databaseWait: DatabaseWait;
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
    @Inject(CRON_STORE_DATA_SOURCE) private readonly dataSource: DataSource | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly explorer: JobHandlerExplorer,
    private readonly extensions: ExtensionsExplorer,
    private readonly environments: Environments,
    private readonly seeder: DefaultScheduleSeeder,
    private readonly zoneRules: ZoneRulesKeeper,
    private readonly jobCoverage: JobCoverage,
    private readonly expiredPauses: ExpiredPauses,
    private readonly events: RunEventPublisher,
    private readonly stores: Stores,
    private readonly application: ModuleRef,
  ) {
    this.databaseWait = new DatabaseWait(options.startupTimeout);
  }

  /**
   * Migrates where asked to, and checks the tables and whose the store is, before anything else of the application uses
   * it. Waits for a database that cannot be reached, for `startupTimeout`.
   *
   * @throws StoreSchemaError, which fails the boot, when the tables are not what this version needs;
   *   StoreEnvironmentError (2708) when the store is another environment's; what the database throws.
   */
  async onModuleInit(): Promise<void> {
    const { storage, dataSource, options, databaseWait } = this;
    if (storage === undefined || dataSource === undefined) {
      return;
    }
    try {
      await databaseWait.outlast(() => checkServerVersion(storage.connections));
      if (options.autoMigrate) {
        await databaseWait.outlast(() => migrate(dataSource, options.schema));
      }
      const pruned = prunedTables(options);
      await databaseWait.outlast(() => checkSchema(storage.connections, storage.schema, pruned));
      await databaseWait.outlast(() => this.environments.keep());
    } catch (error) {
      // Nest calls no shutdown hook where a boot fails, and open connections would keep the process alive.
      await storage.connections.close();
      await this.stopOthers();
      throw explained(error, dataSource);
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
    // What fails there is told when it is their turn.
    this.others().forEach((other) => void other.drain().catch(() => undefined));
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
    const ofNode =
      node === undefined ? {} : { nodeId: node.identity.id, lastPassAgeMs: node.poller.lastPassAgeMs };
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
    const node = new EngineNode({
      storage,
      options: this.options,
      registry: this.registry,
      interceptors: this.extensions.runInterceptors(),
      claimObservers: this.extensions.claimObservers(),
      events: this.events,
      expiredPauses: this.expiredPauses,
    });
    try {
      // Before it seeds: whoever sees a schedule of its jobs sees also who executes them.
      await this.databaseWait.outlast(() => node.register());
      await this.databaseWait.outlast(() => this.zoneRules.keep());
      await this.databaseWait.outlast(() => this.seeder.seed());
      await this.giveWarnings(storage);
    } catch (error) {
      storage.connections.giveUpAfter(LAST_WORDS_MS);
      await this.leave(node);
      await storage.connections.close();
      await this.stopOthers();
      throw error;
    }
    if (this.draining !== undefined) {
      // Asked to stop while it booted: there is no way back.
      await this.leave(node);
      return;
    }
    this.node = node;
    node.start();
    const { id: nodeId } = node.identity;
    const jobs = listOf(this.registry.names());
    this.logger.log(`The node ${nodeId} of ${storeInWords(this.options.name)} executes ${jobs}.`, { nodeId });
  }

  private async giveWarnings(storage: Storage): Promise<void> {
    const { databaseWait, logger } = this;
    const warnings: readonly StartWarning[] = [
      {
        subject: 'Whether the clock of this machine is right',
        giveIfNeeded: () => warnOfWrongClock(storage, logger),
      },
      { subject: 'Whether everything is held', giveIfNeeded: () => warnOfHold(storage, logger) },
      { subject: 'Which schedules nobody executes', giveIfNeeded: () => this.jobCoverage.report() },
    ];
    await giveStartWarnings(warnings, databaseWait, logger);
  }

  /** Jobs that come late are told to the other nodes first, as those of the start are, and then seeded. */
  private async takeUp(jobs: readonly RegisteredJob[]): Promise<void> {
    // Why the start failed is told to whoever waits for that.
    await this.starting?.catch(() => undefined);
    const { node } = this;
    if (node === undefined || this.draining !== undefined) {
      return;
    }
    const names = jobs.map(({ name }) => name);
    await this.databaseWait.outlast(() => node.announceJobs(names));
    await this.databaseWait.outlast(() => this.seeder.seed(jobs));
    node.poller.wake();
    const { id: nodeId } = node.identity;
    this.logger.log(`The node ${nodeId} executes ${listOf(names)} too, from now on.`, { nodeId });
  }

  private async stop(): Promise<void> {
    if (this.node !== undefined) {
      await this.leave(this.node);
    }
    await this.storage?.connections.close();
  }

  /** Where this store cannot start the application does not either: what others have started must not go on without it. */
  private async stopOthers(): Promise<void> {
    await Promise.all(
      this.others().map(async (other) => {
        await other.drain();
        await other.onApplicationShutdown();
      }),
    );
  }

  private others(): readonly CronStoreEngine[] {
    const names = this.stores.names.filter((name) => name !== this.stores.own);
    return names.map((name) => storePartsOf(this.application, name).engine);
  }

  private async leave(node: EngineNode): Promise<void> {
    try {
      await node.leave();
    } catch (error) {
      this.logger.warn(`The node could not say good-bye to the database: ${messageOf(error)}`, {
        nodeId: node.identity.id,
        ...codeFacts(error),
      });
    }
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
