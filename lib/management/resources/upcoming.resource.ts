import { Injectable } from '@nestjs/common';
import { type UpcomingFires, UpcomingFiresReader } from '../../manager/index.js';
import type { Shaped } from '../input/field.js';
import { refuseOutside } from '../input/limits.js';
import { UPCOMING_LIMIT, type upcomingShape } from '../input/statistics.shapes.js';

/** `sys/cron/schedule`: what fires next. */
@Injectable()
export class UpcomingResource {
  constructor(private readonly upcoming: UpcomingFiresReader) {}

  /** @throws ScheduleInvalidError for a limit that there is not. */
  async find({
    untilUnixMs,
    limit = UPCOMING_LIMIT.byDefault,
  }: Shaped<typeof upcomingShape>): Promise<UpcomingFires> {
    refuseOutside('params.limit', limit, UPCOMING_LIMIT);
    return this.upcoming.find({ untilUnixMs, limit });
  }
}
