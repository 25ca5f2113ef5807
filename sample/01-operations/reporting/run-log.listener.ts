import { Injectable, Logger } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import {
  RUN_MISSED_EVENT,
  RUN_SKIPPED_EVENT,
  RUN_STARTED_EVENT,
  RUN_SUCCEEDED_EVENT,
  RunMissedEvent,
  RunSkippedEvent,
  RunStartedEvent,
  RunSucceededEvent,
} from 'nestjs-cron-store';
import { describeFire } from './describe-fire.js';

/** The daily business of the schedules, in the log. */
@Injectable()
export class RunLogListener {
  private readonly logger = new Logger('Runs');

  @OnEvent(RUN_STARTED_EVENT)
  onStarted(run: RunStartedEvent): void {
    this.logger.log(`${describeFire(run)} fired on ${run.nodeId}`);
  }

  @OnEvent(RUN_SUCCEEDED_EVENT)
  onSucceeded(run: RunSucceededEvent): void {
    this.logger.log(`${describeFire(run)} succeeded in ${run.durationMs} ms`);
  }

  /** No node was there in time, and the schedule's misfire policy decided that these occurrences never run. */
  @OnEvent(RUN_MISSED_EVENT)
  onMissed(run: RunMissedEvent): void {
    this.logger.warn(
      `${run.scheduleName} missed ${run.missedCount} occurrence(s) from ${new Date(run.scheduledAtUnixMs).toISOString()} on`,
    );
  }

  @OnEvent(RUN_SKIPPED_EVENT)
  onSkipped(run: RunSkippedEvent): void {
    this.logger.warn(`${describeFire(run)} was skipped, because the run before had not ended`);
  }
}
