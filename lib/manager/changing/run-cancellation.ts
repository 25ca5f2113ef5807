import { Injectable } from '@nestjs/common';
import { findExistingRun } from './existing-run.js';
import { lockExisting } from './existing-schedule.js';
import { refuseVersion, type MutationOptions, type UnversionedOptions } from './mutation-options.js';
import { Mutations, RUN_RESOURCE } from './mutations.js';

/** What became of a wish to cancel. */
export interface CancelReceipt {
  /** How many running runs were asked to end. Those that were asked before, or are over, do not count. */
  readonly requestedCount: number;
}

/** Asks running runs to end. What that means is said at `ScheduleManager`. */
@Injectable()
export class RunCancellation {
  constructor(private readonly mutations: Mutations) {}

  async cancelRun(runId: string, options: UnversionedOptions): Promise<CancelReceipt> {
    const attempt = { resource: RUN_RESOURCE, action: 'cancel', target: runId } as const;
    return this.mutations.run(attempt, options, (own) => {
      refuseVersion(own, 'cancelRun');
      return async (scope) => {
        const { storage, executor, actor } = scope;
        const { run } = await findExistingRun(storage, executor, runId);
        const isAsked = await storage.cancelRequests.requestOfRun(scope, runId, actor);
        const receipt = { requestedCount: Number(isAsked) };
        return { result: receipt, before: run, after: receipt };
      };
    });
  }

  async cancelRunsOf(name: string, options: MutationOptions): Promise<CancelReceipt> {
    const attempt = { resource: RUN_RESOURCE, action: 'cancel_all', target: name } as const;
    return this.mutations.run(attempt, options, () => async (scope) => {
      const current = await lockExisting(scope, name);
      const { storage, actor } = scope;
      const requestedCount = await storage.cancelRequests.requestOfSchedule(scope, current.id, actor);
      return { result: { requestedCount }, after: { requestedCount } };
    });
  }
}
