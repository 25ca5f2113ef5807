import { Inject, Injectable } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { RegisteredJob } from '../../jobs/index.js';
import { DefaultScheduleSeeder, Environments, JobCoverage, ZoneRulesKeeper } from '../../manager/index.js';
import { CRON_STORE_DATA_SOURCE, CRON_STORE_OPTIONS, type ResolvedOptions } from '../../options/index.js';
import {
  checkSchema,
  checkServerVersion,
  CRON_STORE_STORAGE,
  explained,
  migrate,
  type Storage,
} from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';
import type { EngineNode } from '../engine-node.js';
import { prunedTables } from '../upkeep/retention.js';
import { warnOfWrongClock } from './clock-check.js';
import { DatabaseWait } from './database-wait.js';
import { warnOfHold } from './hold-check.js';
import { giveStartWarnings } from './start-warnings.js';

/** The steps of a start. Each is made through outages of the database, for `startupTimeout` all together. */
@Injectable()
export class StoreStartup {
  private readonly logger = new StoreLogger();
  private readonly databaseWait: DatabaseWait;

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(CRON_STORE_DATA_SOURCE) private readonly dataSource: DataSource | undefined,
    @Inject(CRON_STORE_OPTIONS) private readonly options: ResolvedOptions,
    private readonly environments: Environments,
    private readonly zoneRules: ZoneRulesKeeper,
    private readonly seeder: DefaultScheduleSeeder,
    private readonly jobCoverage: JobCoverage,
  ) {
    this.databaseWait = new DatabaseWait(options.startupTimeout);
  }

  /**
   * Migrates where asked to, and checks the tables and whose the store is. Nothing where it is disabled.
   *
   * @throws StoreSchemaError when the tables are not what this version needs; StoreEnvironmentError (2708) when the store
   *   is another environment's; what the database throws, with an explanation where there is one.
   */
  async prepareStore(): Promise<void> {
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
      throw explained(error, dataSource);
    }
  }

  /** Makes a node known, and brings about what it is to find. @throws what the database, or a default schedule, throws. */
  async introduce(node: EngineNode): Promise<void> {
    const { databaseWait } = this;
    // Before it seeds: whoever sees a schedule of its jobs sees also who executes them.
    await databaseWait.outlast(() => node.register());
    await databaseWait.outlast(() => this.zoneRules.keep());
    await databaseWait.outlast(() => this.seeder.seed());
    await this.giveWarnings();
  }

  /** The same for jobs that come late: they are told to the other nodes first, as those of the start are, and then seeded. */
  async introduceJobs(node: EngineNode, jobs: readonly RegisteredJob[]): Promise<void> {
    const names = jobs.map(({ name }) => name);
    await this.databaseWait.outlast(() => node.announceJobs(names));
    await this.databaseWait.outlast(() => this.seeder.seed(jobs));
  }

  private async giveWarnings(): Promise<void> {
    const { storage, logger, databaseWait } = this;
    if (storage === undefined) {
      return;
    }
    const warnings = [
      {
        subject: 'Whether the clock of this machine is right',
        giveIfNeeded: () => warnOfWrongClock(storage, logger),
      },
      { subject: 'Whether everything is held', giveIfNeeded: () => warnOfHold(storage, logger) },
      { subject: 'Which schedules nobody executes', giveIfNeeded: () => this.jobCoverage.report() },
    ];
    await giveStartWarnings(warnings, databaseWait, logger);
  }
}
