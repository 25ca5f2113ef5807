import { Injectable } from '@nestjs/common';
import { StoreReader } from '../../manager/index.js';
import { type RunSummary, ScheduleInvalidError } from '../../schedules/index.js';
import { isUuid, type RunCounts } from '../../storage/index.js';
import type { Shaped } from '../input/field.js';
import {
  BOUNDS_LIMIT,
  LATEST_LIMIT,
  type latestRunsShape,
  type runCountShape,
} from '../input/statistics.shapes.js';
import { refuseOutside } from '../input/limits.js';

/** The newest runs of a schedule. */
export interface LatestRuns {
  readonly scheduleId: string;
  /** The newest first. */
  readonly runs: readonly RunSummary[];
}

/** `sys/cron/run`: the journal, summed up. */
@Injectable()
export class RunStatisticsResource {
  constructor(private readonly reader: StoreReader) {}

  /** @throws ScheduleInvalidError for bounds that do not ascend, or are too few or too many, and for an id that is none. */
  async count({ boundsUnixMs, scheduleId }: Shaped<typeof runCountShape>): Promise<RunCounts> {
    refuseOutside('the number of params.boundsUnixMs', boundsUnixMs.length, BOUNDS_LIMIT);
    if (boundsUnixMs.some((bound, index) => index > 0 && bound <= (boundsUnixMs[index - 1] ?? bound))) {
      throw new ScheduleInvalidError(
        'params.boundsUnixMs must ascend: sort them, and leave out what repeats.',
      );
    }
    refuseNoIds('params.scheduleId', scheduleId === undefined ? [] : [scheduleId]);
    return this.reader.read(async (storage, { executor }) =>
      storage.runStatistics.count(executor, boundsUnixMs, scheduleId === undefined ? {} : { scheduleId }),
    );
  }

  /** @throws ScheduleInvalidError for a limit that there is not, too many schedules, and an id that is none. */
  async findLatest({
    scheduleIds,
    limit = LATEST_LIMIT.byDefault,
  }: Shaped<typeof latestRunsShape>): Promise<readonly LatestRuns[]> {
    refuseOutside('params.limit', limit, LATEST_LIMIT);
    refuseOutside('the number of params.scheduleIds', scheduleIds.length, {
      least: 0,
      most: LATEST_LIMIT.schedules,
    });
    refuseNoIds('params.scheduleIds', scheduleIds);
    const ids = [...new Set(scheduleIds.map((id) => id.toLowerCase()))];
    const runs = await this.reader.read(async (storage, { executor }) =>
      storage.runStatistics.latest(executor, ids, limit),
    );
    return ids.map((id) => ({ scheduleId: id, runs: runs.filter(({ scheduleId }) => scheduleId === id) }));
  }
}

function refuseNoIds(field: string, ids: readonly string[]): void {
  if (!ids.every(isUuid)) {
    throw new ScheduleInvalidError(`${field} must be what the field id of a schedule is, a UUID.`);
  }
}
