import { Inject, Injectable } from '@nestjs/common';
import { CronStoreError } from '../../cron-store.error.js';
import type { Schedule } from '../../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../storage/index.js';
import { messageOf } from '../../error-reading.js';
import { codeFacts, StoreLogger } from '../../store-logger.js';
import { Mutations, SCHEDULE_RESOURCE, type Change, type MutationScope } from '../changing/mutations.js';
import { pauseSchedule } from '../changing/schedule-change.js';
import { resumeLocked } from '../changing/schedule-editor.js';

/** Ends the pauses that were to end by themselves. Any number of nodes may do it at once. */
@Injectable()
export class ExpiredPauses {
  private readonly logger = new StoreLogger();

  constructor(
    @Inject(CRON_STORE_STORAGE) private readonly storage: Storage | undefined,
    private readonly mutations: Mutations,
  ) {}

  /**
   * Ends what has expired, of some schedules where there are many, and waits for none that is locked. One whose pause
   * cannot end does not keep the others paused. Never rejects: whoever finds expired pauses again tries again.
   */
  async endSome(): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    try {
      const names = await storage.connections.transaction('manager', (transaction) =>
        storage.expiredPauses.names(transaction),
      );
      for (const name of names) {
        await this.tryEnd(name);
      }
    } catch (error) {
      this.logger.warn(`Pauses that have expired could not be ended: ${messageOf(error)}`, codeFacts(error));
    }
  }

  private async tryEnd(name: string): Promise<void> {
    try {
      await this.end(name);
    } catch (error) {
      this.logger.warn(`The pause of ${JSON.stringify(name)} could not end: ${messageOf(error)}`, {
        scheduleName: name,
        ...codeFacts(error),
      });
    }
  }

  /** Recorded once, by the node that ends it. Its commit wakes the others. */
  private async end(name: string): Promise<void> {
    const attempt = { resource: SCHEDULE_RESOURCE, action: 'resume', target: name } as const;
    await this.mutations.run<Schedule | undefined>(attempt, {}, () => async (scope) => {
      const current = await scope.storage.expiredPauses.lock(scope, name);
      return current === undefined ? { result: undefined, isNeedless: true } : this.endPause(scope, current);
    });
  }

  /** A schedule that cannot go on stays paused, now without an end: it would come up again and again. */
  private async endPause(scope: MutationScope, current: Schedule): Promise<Change<Schedule>> {
    try {
      return await resumeLocked(scope, current);
    } catch (error) {
      if (!(error instanceof CronStoreError)) {
        throw error;
      }
      this.logger.warn(`The schedule ${JSON.stringify(current.name)} stays paused: ${messageOf(error)}`, {
        scheduleName: current.name,
        jobName: current.jobName,
        ...codeFacts(error),
      });
      const enablement = pauseSchedule(current, { note: current.pauseNote }, scope);
      const paused = await scope.storage.schedules.setEnabled(scope.executor, current.id, enablement);
      return { result: paused, before: current, after: paused };
    }
  }
}
