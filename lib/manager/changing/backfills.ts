import { Injectable } from '@nestjs/common';
import {
  knownFields,
  MAX_BACKFILL_OCCURRENCES,
  occurrencesOfSchedule,
  ScheduleDisabledError,
  ScheduleInvalidError,
  type Backfill,
  type Schedule,
} from '../../schedules/index.js';
import { isUuid } from '../../storage/index.js';
import { findExisting, lockExisting } from './existing-schedule.js';
import type { MutationOptions } from './mutation-options.js';
import { Mutations, SCHEDULE_RESOURCE } from './mutations.js';
import { requiredInstant } from './own-options.js';
import { StoreReader } from '../reading/store-reader.js';

/** What a backfill would do. */
export interface BackfillPreview {
  /** How many occurrences the range has. */
  readonly totalCount: number;
}

interface PlannedBackfill extends BackfillPreview {
  readonly fromUnixMs: number;
  readonly toUnixMs: number;
  readonly firstUnixMs: number;
}

const LIST_LIMIT = 100;

/** Fires past ranges again, on demand. What that means is said at `ScheduleManager`. */
@Injectable()
export class Backfills {
  constructor(
    private readonly reader: StoreReader,
    private readonly mutations: Mutations,
  ) {}

  async preview(name: string, range: unknown): Promise<BackfillPreview> {
    this.reader.refuseDisabled();
    const bounds = boundsOf(range);
    return this.reader.read(async (storage, { executor, nowUnixMs }) => {
      const schedule = await findExisting(storage, executor, name);
      const { totalCount } = planBackfill(schedule, bounds, nowUnixMs);
      return { totalCount };
    });
  }

  async start(name: string, range: unknown, options: MutationOptions): Promise<Backfill> {
    const attempt = { resource: SCHEDULE_RESOURCE, action: 'backfill', target: name, params: range } as const;
    return this.mutations.run(attempt, options, () => {
      const bounds = boundsOf(range);
      return async (scope) => {
        const current = await lockExisting(scope, name);
        if (!current.isEnabled) {
          throw new ScheduleDisabledError(name);
        }
        const { totalCount, ...planned } = planBackfill(current, bounds, scope.nowUnixMs);
        const backfill = await scope.storage.backfills.insert(scope, {
          ...planned,
          scheduleId: current.id,
          total: totalCount,
          actor: scope.actor,
        });
        return { result: backfill, after: backfill };
      };
    });
  }

  async cancel(name: string, backfillId: string, options: MutationOptions): Promise<Backfill> {
    const attempt = {
      resource: SCHEDULE_RESOURCE,
      action: 'cancel_backfill',
      target: name,
      params: { backfillId },
    } as const;
    return this.mutations.run(attempt, options, () => async (scope) => {
      const current = await lockExisting(scope, name);
      const canceled = isUuid(backfillId)
        ? await scope.storage.backfills.cancel(scope, current.id, backfillId)
        : undefined;
      if (canceled === undefined) {
        throw new ScheduleInvalidError(
          `The schedule ${JSON.stringify(name)} has no running backfill with this id.`,
        );
      }
      return { result: canceled, after: canceled };
    });
  }

  async list(name: string): Promise<Backfill[]> {
    return this.reader.read(async (storage, { executor }) => {
      const schedule = await findExisting(storage, executor, name);
      return storage.backfills.list(executor, schedule.id, LIST_LIMIT);
    });
  }
}

function boundsOf(range: unknown): { readonly fromUnixMs: number; readonly toUnixMs: number } {
  const fields = knownFields(range, ['from', 'to'], 'the range of a backfill');
  const fromUnixMs = requiredInstant(fields, 'from');
  const toUnixMs = requiredInstant(fields, 'to');
  if (toUnixMs < fromUnixMs) {
    throw new ScheduleInvalidError('to must not be before from.');
  }
  return { fromUnixMs, toUnixMs };
}

function planBackfill(
  schedule: Schedule,
  bounds: { readonly fromUnixMs: number; readonly toUnixMs: number },
  nowUnixMs: number,
): PlannedBackfill {
  if (bounds.toUnixMs > nowUnixMs) {
    throw new ScheduleInvalidError('to must not be in the future: what is to come fires by itself.');
  }
  const occurrences = occurrencesOfSchedule(schedule);
  const firstUnixMs = occurrences.next(bounds.fromUnixMs - 1);
  const totalCount = occurrences.count(bounds.fromUnixMs - 1, bounds.toUnixMs);
  if (firstUnixMs === undefined || totalCount === 0) {
    throw new ScheduleInvalidError('The range holds no occurrence of the schedule.');
  }
  if (totalCount > MAX_BACKFILL_OCCURRENCES) {
    throw new ScheduleInvalidError(
      `The range holds ${totalCount} occurrences; a backfill fires at most ${MAX_BACKFILL_OCCURRENCES}. Give a shorter one.`,
    );
  }
  return { ...bounds, firstUnixMs, totalCount };
}
