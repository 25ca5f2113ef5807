import { Injectable, Logger } from '@nestjs/common';
import { cron, type Execution, JobHandler } from 'nestjs-cron-store';

/** Something to manage. */
@Injectable()
@JobHandler({ name: 'daily-report', defaultSchedule: { trigger: cron('0 2 * * *', 'Asia/Shanghai') } })
export class WriteReportHandler implements JobHandler {
  private readonly logger = new Logger(WriteReportHandler.name);

  execute({ scheduleName, scheduledAt }: Execution): void {
    this.logger.log(`The report of ${scheduledAt.toISOString()} is written (${scheduleName}).`);
  }
}
