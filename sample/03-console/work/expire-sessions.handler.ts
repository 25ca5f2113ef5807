import { Injectable, Logger } from '@nestjs/common';
import { every, type Execution, JobHandler } from 'nestjs-cron-store';
import { SessionsService } from '../auth/sessions.service.js';

/** Deletes the sessions that have expired: those of the people who look at this very schedule. */
@Injectable()
@JobHandler({ name: 'expire-sessions', defaultSchedule: { trigger: every('30s'), misfirePolicy: 'skip' } })
export class ExpireSessionsHandler implements JobHandler {
  private readonly logger = new Logger(ExpireSessionsHandler.name);

  constructor(private readonly sessions: SessionsService) {}

  async execute({ scheduleName }: Execution): Promise<void> {
    const count = await this.sessions.deleteExpired();
    if (count > 0) {
      this.logger.log(`${scheduleName} deleted ${count} sessions.`);
    }
  }
}
