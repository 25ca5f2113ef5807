import { Injectable, Logger } from '@nestjs/common';
import { OnEvent } from '@nestjs/event-emitter';
import {
  RUN_ABANDONED_EVENT,
  RUN_CANCELED_EVENT,
  RUN_FAILED_EVENT,
  RunAbandonedEvent,
  RunCanceledEvent,
  RunFailedEvent,
} from 'nestjs-cron-store';
import { describeFire } from './describe-fire.js';

/**
 * Reports what did not go well, to the log here, to a pager elsewhere. Events are best effort: what this process could
 * not report because it died is in the journal, and in the nightly digest.
 */
@Injectable()
export class IncidentListener {
  private readonly logger = new Logger('Incidents');

  @OnEvent(RUN_FAILED_EVENT)
  onFailed(run: RunFailedEvent): void {
    this.logger.error(
      `${describeFire(run)} failed: ${run.error} Retry it with POST /schedules/${run.scheduleName}/fire`,
    );
  }

  @OnEvent(RUN_ABANDONED_EVENT)
  onAbandoned(run: RunAbandonedEvent): void {
    this.logger.error(`${describeFire(run)} was abandoned: ${run.nodeId} is gone. ${whatFollows(run)}`);
  }

  @OnEvent(RUN_CANCELED_EVENT)
  onCanceled(run: RunCanceledEvent): void {
    this.logger.warn(`${describeFire(run)} was interrupted by the shutdown of its node. ${whatFollows(run)}`);
  }
}

function whatFollows({ willRecover }: RunAbandonedEvent | RunCanceledEvent): string {
  return willRecover ? 'It is fired again.' : 'It is not repeated.';
}
