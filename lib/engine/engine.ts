import {
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
  type OnModuleInit,
} from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { RunEventPublisher } from '../events/index.js';
import { ExtensionsExplorer, JobHandlerRegistry } from '../jobs/index.js';
import { DefaultScheduleSeeder, ExpiredPauses, ZoneRulesKeeper } from '../manager/index.js';
import { CRON_STORE_DATA_SOURCE, CRON_STORE_OPTIONS, type ResolvedOptions } from '../options/index.js';
import { StoreDisabledError } from '../schedules/index.js';
import { checkSchema, CRON_STORE_STORAGE, migrate, type Storage } from '../storage/index.js';
import type { PassResult } from './claimer.js';
import { EngineNode } from './engine-node.js';

/**
 * What the engine is doing: not at all (`disabled`; also where the process only manages), before its first pass (`starting`), `running`, `degraded` while
 * its last pass failed, letting runs finish (`stopping`), or `stopped`.
 */
export type EngineState = 'disabled' | 'starting' | 'running' | 'degraded' | 'stopping' | 'stopped';

/** The engine at a glance. */
export interface EngineStatus {
  readonly state: EngineState;
  /** This node's id, as runs name it; absent while there is no node. */
  readonly nodeId?: string;
  /** How many runs this node executes at once, at most; 0 where the process only manages. */
  readonly slots: number;
  /** Runs that are executing. */
  readonly running: number;
  /** Handlers that go on although their run timed out or was taken over. Each keeps its slot until it settles. */
  readonly detached: number;
}

/**
 * The engine of this process: it claims what is due, executes it, and recovers what others left behind. It starts with
 * the application and stops with it.
 */
@Injectable()
export class CronStoreEngine
  implements OnModuleInit, OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown
{
  private readonly logger = new Logger(CronStoreEngine.name);
  private node: EngineNode | undefined;
  private draining: Promise<void> | undefined;
  private stopping: Promise<void> | undefined;

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_DATA_SOURCE) private readonly dataSource: DataSource | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly registry: JobHandlerRegistry,
    private readonly extensions: ExtensionsExplorer,
    private readonly seeder: DefaultScheduleSeeder,
    private readonly zoneRules: ZoneRulesKeeper,
    private readonly expiredPauses: ExpiredPauses,
    private readonly events: RunEventPublisher,
  ) {}

  /**
   * Migrates where asked to, and checks the tables, before anything else of the application uses the store.
   *
   * @throws StoreSchemaError, which fails the boot, when they are not what this version needs.
   */
  async onModuleInit(): Promise<void> {
    if (this.storage === undefined || this.dataSource === undefined) {
      return;
    }
    try {
      if (this.options.autoMigrate) {
        await migrate(this.dataSource, this.options.schema);
      }
      await checkSchema(this.storage.connections, this.storage.schema);
    } catch (error) {
      // Nest calls no shutdown hook where a boot fails, and open connections would keep the process alive.
      await this.storage.connections.close();
      throw error;
    }
  }

  /** Registers the node, seeds, and starts: by now every module has registered its handlers and its listeners. */
  async onApplicationBootstrap(): Promise<void> {
    if (this.storage === undefined) {
      return;
    }
    this.registry.close();
    if (this.options.execute) {
      await this.startNode(this.storage);
    }
  }

  /** Drains while what handlers depend on is still there. */
  async onModuleDestroy(): Promise<void> {
    await this.drain();
  }

  /** Closes the store's connections. */
  async onApplicationShutdown(): Promise<void> {
    this.stopping ??= this.stop();
    await this.stopping;
  }

  /** What the engine is doing. */
  status(): EngineStatus {
    return {
      state: this.state(),
      ...(this.node === undefined ? {} : { nodeId: this.node.identity.id }),
      slots: this.options.execute ? this.options.maxConcurrent : 0,
      running: this.node?.slots.active.length ?? 0,
      detached: this.node?.slots.detachedCount ?? 0,
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
    return this.node?.runOnce() ?? { started: 0, journaled: 0 };
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
      await node.register();
      await this.zoneRules.keep();
      await this.seeder.seed();
    } catch (error) {
      await this.leave(node);
      await storage.connections.close();
      throw error;
    }
    if (this.draining !== undefined) {
      // Asked to stop while it booted: there is no way back.
      await this.leave(node);
      return;
    }
    this.node = node;
    node.start();
    this.logger.log(`Node ${node.identity.id} executes ${this.jobList()}.`);
  }

  private async stop(): Promise<void> {
    if (this.node !== undefined) {
      await this.leave(this.node);
    }
    await this.storage?.connections.close();
  }

  private async leave(node: EngineNode): Promise<void> {
    try {
      await node.leave();
    } catch (error) {
      this.logger.warn(`The node could not say good-bye to the database: ${String(error)}`);
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
    return this.node.poller.isFailing ? 'degraded' : 'running';
  }

  private jobList(): string {
    const names = this.registry.names();
    return names.length === 0
      ? 'no jobs'
      : `the jobs ${names.map((name) => JSON.stringify(name)).join(', ')}`;
  }
}
