import { Injectable } from '@nestjs/common';
import {
  parseParams,
  ScheduleDisabledError,
  ScheduleInvalidError,
  type JsonValue,
  type Schedule,
} from '../../schedules/index.js';
import type { FireRequest } from '../../storage/index.js';
import { activeTraceParent } from '../../telemetry/index.js';
import { findExistingRun } from './existing-run.js';
import { lockExisting, lockScheduleOf } from './existing-schedule.js';
import type { MutationOptions } from './mutation-options.js';
import { Mutations, RUN_RESOURCE, SCHEDULE_RESOURCE, type Change, type MutationScope } from './mutations.js';
import { flagOption, textOption } from './own-options.js';

/** Options of a manual fire. */
export interface TriggerOptions extends MutationOptions {
  /**
   * Makes a repeated request return the first one, also after its fire has finished: for as long as the journal keeps
   * the run. Params of the repetition are not looked at. Unique within the schedule, 1–500 characters.
   */
  readonly idempotencyKey?: string | undefined;
  /** Params for this fire alone, its recoveries and retries included. Default: the schedule's. */
  readonly params?: JsonValue | object | undefined;
  /** Fire also while the schedule is paused: this fire only. Default false. */
  readonly evenIfPaused?: boolean | undefined;
}

/** Options of the repetition of a run. */
export interface RerunOptions extends MutationOptions {
  /** Fire also while the schedule is paused. Default false. */
  readonly evenIfPaused?: boolean | undefined;
}

/** An accepted manual fire. */
export interface ManualFireReceipt {
  /** The request's id; the run that it becomes has it as its `idempotencyKey`. */
  readonly requestId: string;
  /** Whether the fire was asked for before under the same key: nothing new will fire. */
  readonly replayed: boolean;
}

/** Fires schedules because somebody asks for it. What that means is said at `ScheduleManager`. */
@Injectable()
export class ManualFires {
  constructor(private readonly mutations: Mutations) {}

  async triggerNow(name: string, options: TriggerOptions): Promise<ManualFireReceipt> {
    const attempt = {
      resource: SCHEDULE_RESOURCE,
      action: 'trigger_now',
      target: name,
      ownOptions: ['idempotencyKey', 'params', 'evenIfPaused'],
    } as const;
    return this.mutations.run(attempt, options, (own) => {
      const requestKey = textOption(own, 'idempotencyKey');
      const params = parseParams(own['params']);
      const evenIfPaused = flagOption(own, 'evenIfPaused');
      return async (scope) => {
        const { storage, executor } = scope;
        const current = await lockExisting(scope, name);
        const firstId =
          requestKey === undefined
            ? undefined
            : await storage.requests.findByKey(executor, current.id, requestKey);
        if (firstId !== undefined) {
          return accepted({ requestId: firstId, replayed: true });
        }
        return requestFire(scope, current, {
          scheduledAtUnixMs: scope.nowUnixMs,
          requestKey,
          params,
          firesWhilePaused: evenIfPaused,
        });
      };
    });
  }

  async rerun(runId: string, options: RerunOptions): Promise<ManualFireReceipt> {
    const attempt = {
      resource: RUN_RESOURCE,
      action: 'rerun',
      target: runId,
      ownOptions: ['evenIfPaused'],
    } as const;
    return this.mutations.run(attempt, options, (own) => {
      const evenIfPaused = flagOption(own, 'evenIfPaused');
      return async (scope) => {
        const { run, params } = await findExistingRun(scope.storage, scope.executor, runId);
        if (run.status === 'running' || run.status === 'missed' || run.status === 'skipped') {
          throw new ScheduleInvalidError(
            `The run ${runId} is ${run.status}; only one that was executed and is over can be repeated.`,
          );
        }
        return requestFire(scope, await lockScheduleOf(scope, run), {
          scheduledAtUnixMs: run.scheduledAtUnixMs,
          occurrenceAtUnixMs: run.occurrenceAtUnixMs,
          params,
          firesWhilePaused: evenIfPaused,
        });
      };
    });
  }
}

/** What of a manual fire is not the same for all of them. */
type FireTerms = Pick<
  FireRequest,
  'scheduledAtUnixMs' | 'occurrenceAtUnixMs' | 'requestKey' | 'params' | 'firesWhilePaused'
>;

async function requestFire(
  { storage, executor, nowUnixMs, actor }: MutationScope,
  schedule: Schedule,
  terms: FireTerms,
): Promise<Change<ManualFireReceipt>> {
  if (!schedule.isEnabled && terms.firesWhilePaused !== true) {
    throw new ScheduleDisabledError(schedule.name);
  }
  const requestId = await storage.requests.add(executor, {
    ...terms,
    scheduleId: schedule.id,
    origin: 'manual',
    traceParent: activeTraceParent(),
    nowUnixMs,
    actor,
  });
  return accepted({ requestId, replayed: false });
}

function accepted(receipt: ManualFireReceipt): Change<ManualFireReceipt> {
  return { result: receipt, after: receipt };
}
