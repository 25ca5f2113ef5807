import { Injectable } from '@nestjs/common';
import { definedFields, knownFields, validName, type Hold } from '../../schedules/index.js';
import type { HoldTarget } from '../../storage/index.js';
import { refuseVersion, type UnversionedOptions } from './mutation-options.js';
import { LiveJobs } from '../upkeep/live-jobs.js';
import { Mutations, SCHEDULE_RESOURCE, type MutationScope } from './mutations.js';
import { refusePastEnd, suspensionTerms, type SuspensionOptions } from './suspension-terms.js';
import { StoreReader } from '../reading/store-reader.js';

/** Options of a hold. */
export interface HoldOptions extends UnversionedOptions, SuspensionOptions {}

/** Holds back the fires of a job or of the whole store. What that means is said at `ScheduleManager`. */
@Injectable()
export class Holds {
  constructor(
    private readonly reader: StoreReader,
    private readonly mutations: Mutations,
    private readonly liveJobs: LiveJobs,
  ) {}

  async hold(target: unknown, options: HoldOptions): Promise<Hold> {
    const attempt = {
      resource: SCHEDULE_RESOURCE,
      action: 'hold',
      params: { target },
      ownOptions: ['note', 'until'],
    } as const;
    return this.mutations.run(attempt, options, (own) => {
      refuseVersion(own, 'hold');
      const { jobName } = targetOf(target);
      const terms = suspensionTerms(own);
      return async (scope) => {
        const { storage, executor, nowUnixMs, actor } = scope;
        refusePastEnd(terms, nowUnixMs);
        if (jobName !== undefined) {
          await this.refuseUnknown(jobName, scope);
        }
        const hold = definedFields({ jobName, ...terms, heldAtUnixMs: nowUnixMs, heldBy: actor });
        await storage.holds.put(executor, hold);
        return { result: hold, after: hold };
      };
    });
  }

  async release(target: unknown, options: UnversionedOptions): Promise<boolean> {
    const attempt = { resource: SCHEDULE_RESOURCE, action: 'release', params: { target } } as const;
    return this.mutations.run(attempt, options, (own) => {
      refuseVersion(own, 'release');
      const checked = targetOf(target);
      return async (scope) => ({ result: await scope.storage.holds.remove(scope, checked) });
    });
  }

  async list(): Promise<Hold[]> {
    return this.reader.read((storage, transaction) => storage.holds.list(transaction));
  }

  /** A misspelt name must not look like a hold: some schedule or some node has to know the job. */
  private async refuseUnknown(jobName: string, scope: MutationScope): Promise<void> {
    const { storage, executor } = scope;
    const schedules = await storage.schedules.list(executor, { jobName });
    if (schedules.length === 0) {
      await this.liveJobs.refuseUnregistered(jobName, storage, scope);
    }
  }
}

function targetOf(target: unknown): HoldTarget {
  const { jobName } = knownFields(target, ['jobName'], 'what to hold');
  return jobName === undefined ? {} : { jobName: validName(jobName, 'jobName') };
}
