import { Inject, Injectable } from '@nestjs/common';
import { CronStoreError } from '../../cron-store.error.js';
import type { Schedule } from '../../schedules/index.js';
import { CRON_STORE_STORAGE, type Storage } from '../../storage/index.js';
import { codeFacts, messageOf, StoreLogger } from '../../store-logger.js';
import { lockExisting } from '../changing/existing-schedule.js';
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

  /** Resumes what is due. One that cannot be resumed does not keep the others paused. */
  async resumeAll(): Promise<void> {
    const { storage } = this;
    if (storage === undefined) {
      return;
    }
    const names = await storage.connections.transaction('manager', ({ executor, nowUnixMs }) =>
      storage.schedules.expiredPauses(executor, nowUnixMs),
    );
    for (const name of names) {
      await this.resume(name).catch((error: unknown) =>
        this.logger.warn(`The pause of ${JSON.stringify(name)} could not end: ${messageOf(error)}`, {
          scheduleName: name,
          ...codeFacts(error),
        }),
      );
    }
  }

  private async resume(name: string): Promise<void> {
    const attempt = { resource: SCHEDULE_RESOURCE, action: 'resume', target: name } as const;
    await this.mutations.run(attempt, {}, () => async (scope) => {
      const current = await lockExisting(scope, name);
      // Looked at again under the lock: somebody may have resumed it, or paused it anew.
      const isExpired = (current.pausedUntilUnixMs ?? Infinity) <= scope.nowUnixMs;
      return isExpired ? this.endPause(scope, current) : { result: current };
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
