import { Injectable } from '@nestjs/common';
import { RunEventPublisher } from '../../events/index.js';
import {
  defineSchedule,
  knownFields,
  ScheduleExistsError,
  SPEC_FIELDS,
  type Schedule,
  type ScheduleDefinition,
} from '../../schedules/index.js';
import { mintId } from '../../storage/index.js';
import { lockExisting } from './existing-schedule.js';
import { LiveJobs } from '../upkeep/live-jobs.js';
import { refuseVersion, type MutationOptions, type UnversionedOptions } from './mutation-options.js';
import { Mutations, SCHEDULE_RESOURCE, type Attempt, type Change, type MutationScope } from './mutations.js';
import { refusePastEnd, suspensionTerms } from './suspension-terms.js';
import { patchedSpec } from './patched-spec.js';
import { announceMissed, replaceSchedule } from './replace-schedule.js';
import { pauseSchedule, positionOfNew, resumeSchedule } from './schedule-change.js';

/** Creates, changes and deletes schedules. What each change means is said at `ScheduleManager`. */
@Injectable()
export class ScheduleEditor {
  constructor(
    private readonly mutations: Mutations,
    private readonly liveJobs: LiveJobs,
    private readonly events: RunEventPublisher,
  ) {}

  async create(spec: unknown, options: UnversionedOptions): Promise<Schedule> {
    return this.mutations.run(attemptTo('create', nameGivenIn(spec), spec), options, (own) => {
      refuseVersion(own, 'create');
      const definition = defineSchedule(spec);
      return async (scope) => {
        const { storage, executor, nowUnixMs } = scope;
        const position = positionOfNew(await this.executable(definition, scope), scope);
        const created = await storage.schedules.insert(executor, mintId(nowUnixMs), definition, position);
        if (created === undefined) {
          throw new ScheduleExistsError(definition.name);
        }
        return { result: created, after: created };
      };
    });
  }

  async update(name: string, spec: unknown, options: MutationOptions): Promise<Schedule> {
    return this.redefine(attemptTo('update', name, spec), name, options, () => {
      const definition = defineSchedule(spec, name);
      return (_current, scope) => this.executable(definition, scope);
    });
  }

  async patch(name: string, changes: unknown, options: MutationOptions): Promise<Schedule> {
    return this.redefine(attemptTo('patch', name, changes), name, options, () => {
      const given = knownFields(changes, SPEC_FIELDS, 'the changes to a schedule');
      return async (current, scope) => {
        const definition = defineSchedule(patchedSpec(current, given));
        return definition.jobName === current.jobName ? definition : this.executable(definition, scope);
      };
    });
  }

  async delete(name: string, options: MutationOptions): Promise<void> {
    await this.mutations.run(attemptTo('delete', name), options, () => async (scope) => {
      const current = await lockExisting(scope, name);
      await scope.storage.schedules.delete(scope.executor, current.id, scope.nowUnixMs);
      return { result: undefined, before: current };
    });
  }

  async pause(name: string, options: MutationOptions): Promise<Schedule> {
    const attempt = { ...attemptTo('pause', name), ownOptions: ['note', 'until'] };
    return this.mutations.run(attempt, options, (own) => {
      const terms = suspensionTerms(own);
      return async (scope) => {
        refusePastEnd(terms, scope.nowUnixMs);
        const current = await lockExisting(scope, name);
        const enablement = pauseSchedule(current, terms, scope);
        const paused = await scope.storage.schedules.setEnabled(scope.executor, current.id, enablement);
        return { result: paused, before: current, after: paused };
      };
    });
  }

  async resume(name: string, options: MutationOptions): Promise<Schedule> {
    return this.mutations.run(
      attemptTo('resume', name),
      options,
      () => async (scope) => resumeLocked(scope, await lockExisting(scope, name)),
    );
  }

  private async executable(
    definition: ScheduleDefinition,
    scope: MutationScope,
  ): Promise<ScheduleDefinition> {
    await this.liveJobs.refuseUnregistered(definition.jobName, scope.storage, scope);
    return definition;
  }

  private async redefine(
    attempt: Attempt,
    name: string,
    options: MutationOptions,
    prepare: () => (current: Schedule, scope: MutationScope) => Promise<ScheduleDefinition>,
  ): Promise<Schedule> {
    const replacement = await this.mutations.run(attempt, options, () => {
      const define = prepare();
      return async (scope) => {
        const current = await lockExisting(scope, name);
        const replaced = await replaceSchedule(scope, current, await define(current, scope));
        return { result: replaced, before: current, after: replaced.schedule };
      };
    });
    if (options.transaction === undefined) {
      // Inside the caller's transaction nobody can tell whether it commits; the journal will.
      announceMissed(this.events, replacement);
    }
    return replacement.schedule;
  }
}

/** Resumes a schedule that is locked; one that is neither paused nor parked stays as it is. */
export async function resumeLocked(scope: MutationScope, current: Schedule): Promise<Change<Schedule>> {
  if (current.isEnabled && current.state !== 'parked') {
    return { result: current, before: current, after: current };
  }
  const { storage, executor } = scope;
  const resumed = await storage.schedules.setEnabled(executor, current.id, resumeSchedule(current, scope));
  return { result: resumed, before: current, after: resumed };
}

function attemptTo(action: string, target: unknown, params?: unknown): Attempt {
  return { resource: SCHEDULE_RESOURCE, action, target, params };
}

/** For the audit trail, before anything was checked. */
function nameGivenIn(spec: unknown): unknown {
  try {
    return typeof spec === 'object' && spec !== null && 'name' in spec ? spec.name : undefined;
  } catch {
    return undefined;
  }
}
