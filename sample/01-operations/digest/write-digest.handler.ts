import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { cron, type DefaultSchedule, type Execution, JobHandler, ScheduleManager } from 'nestjs-cron-store';
import type { Repository } from 'typeorm';
import { environment, type Environment } from '../environment.js';
import { JournalDigest } from './journal-digest.entity.js';
import { runsBetween } from './runs-between.js';
import { summarize } from './summarize.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

/** Writes down every night what the journal says of the last 24 hours. */
@Injectable()
@JobHandler('journal-digest')
export class WriteDigestHandler implements JobHandler {
  private readonly logger = new Logger('Digest');

  constructor(
    @Inject(environment.KEY) private readonly env: Environment,
    @InjectRepository(JournalDigest) private readonly digests: Repository<JournalDigest>,
    private readonly schedules: ScheduleManager,
  ) {}

  /** Computed, because when the night is depends on where the application is operated. */
  defaultSchedule(): DefaultSchedule {
    return { trigger: cron(this.env.DIGEST_CRON, this.env.DIGEST_TIMEZONE), recover: true };
  }

  async execute({ scheduledAt }: Execution): Promise<void> {
    const through = scheduledAt;
    const since = new Date(through.getTime() - DAY_MS);
    const runs = await runsBetween(this.schedules, since.getTime(), through.getTime() - 1);
    const summary = summarize(runs);
    // By its logical time, so that a second attempt replaces what the first one wrote.
    await this.digests.save({ through, since, ...summary, writtenAt: new Date() });
    this.logger.log(
      `${runs.length} runs in the 24 hours before ${through.toISOString()}: ${JSON.stringify(summary.runsByStatus)}`,
    );
  }
}
