import { Inject, Injectable } from '@nestjs/common';
import { JOB_REGISTRY, type JobHandlerRegistry } from '../../jobs/index.js';
import { CRON_STORE_STORAGE, type Storage, type ScheduledJob } from '../../storage/index.js';
import { StoreLogger } from '../../store-logger.js';
import { LiveJobs } from './live-jobs.js';

/** Tells, once when a node starts, which schedules nobody executes, and which of its handlers nobody schedules. */
@Injectable()
export class JobCoverage {
  private readonly logger = new StoreLogger();

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly liveJobs: LiveJobs,
  ) {}

  /** @throws what the database throws, before anything is told. */
  async report(): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    const [scheduled, live] = await storage.connections.transaction('manager', async (transaction) => [
      await storage.schedules.scheduledJobs(transaction.executor),
      await this.liveJobs.namesOfNodes(storage, transaction),
    ]);
    scheduled.filter(({ jobName }) => !live.has(jobName)).forEach((job) => this.warnOfOrphans(job));
    const scheduledNames = new Set(scheduled.map(({ jobName }) => jobName));
    this.registry
      .names()
      .filter((jobName) => !scheduledNames.has(jobName))
      .forEach((jobName) => this.mentionUnscheduled(jobName));
  }

  private warnOfOrphans({ jobName, scheduleCount, scheduleName }: ScheduledJob): void {
    const others = scheduleCount === 1 ? 'does' : `and ${scheduleCount - 1} more do`;
    this.logger.warn(
      `The schedule ${JSON.stringify(scheduleName)} ${others} not fire, because no live node has the job ${JSON.stringify(jobName)}: start one that has it, or delete what is of no use any more.`,
      { scheduleName, jobName },
    );
  }

  private mentionUnscheduled(jobName: string): void {
    this.logger.debug(
      `No schedule has the job ${JSON.stringify(jobName)}: create one, or give its handler a defaultSchedule.`,
      { jobName },
    );
  }
}
