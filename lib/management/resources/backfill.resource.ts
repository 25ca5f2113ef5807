import { Inject, Injectable } from '@nestjs/common';
import { SCHEDULE_MANAGER, type ScheduleManager, type BackfillPreview } from '../../manager/index.js';
import type { Backfill } from '../../schedules/index.js';
import type { backfillIdShape, backfillRangeShape } from '../input/backfill.shapes.js';
import type { Shaped } from '../input/field.js';
import type { scheduleNameShape } from '../input/schedule.shapes.js';
import type { Origin } from '../operations/operation.js';

type Range = Shaped<typeof backfillRangeShape>;

/** Backfills of past ranges as the API gives and takes them: actions of `sys/cron/schedule`. */
@Injectable()
export class BackfillResource {
  constructor(@Inject(SCHEDULE_MANAGER) private readonly manager: ScheduleManager) {}

  async preview({ name, fromUnixMs, toUnixMs }: Range): Promise<BackfillPreview> {
    return this.manager.previewBackfill(name, { from: fromUnixMs, to: toUnixMs });
  }

  async start({ name, fromUnixMs, toUnixMs }: Range, origin: Origin): Promise<Backfill> {
    return this.manager.backfill(name, { from: fromUnixMs, to: toUnixMs }, origin);
  }

  async cancel({ name, id }: Shaped<typeof backfillIdShape>, origin: Origin): Promise<Backfill> {
    return this.manager.cancelBackfill(name, id, origin);
  }

  async findAll({ name }: Shaped<typeof scheduleNameShape>): Promise<readonly Backfill[]> {
    return this.manager.listBackfills(name);
  }
}
