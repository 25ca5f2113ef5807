import { Inject, Injectable } from '@nestjs/common';
import { SCHEDULE_MANAGER, type ScheduleManager } from '../../manager/index.js';
import { definedFields, type Hold } from '../../schedules/index.js';
import type { Shaped } from '../input/field.js';
import type { holdShape, holdTargetShape } from '../input/hold.shapes.js';
import type { Origin } from '../operations/operation.js';

/** What became of a release. */
export interface ReleaseAnswer {
  /** False where there was nothing to release. */
  readonly wasHeld: boolean;
}

/** Holds of a job or of the whole store as the API gives and takes them: actions of `sys/cron/schedule`. */
@Injectable()
export class HoldResource {
  constructor(@Inject(SCHEDULE_MANAGER) private readonly manager: ScheduleManager) {}

  async hold({ jobName, note, untilUnixMs }: Shaped<typeof holdShape>, origin: Origin): Promise<Hold> {
    const options = definedFields({ note, until: untilUnixMs });
    return this.manager.hold(definedFields({ jobName }), { ...origin, ...options });
  }

  async release({ jobName }: Shaped<typeof holdTargetShape>, origin: Origin): Promise<ReleaseAnswer> {
    return { wasHeld: await this.manager.release(definedFields({ jobName }), origin) };
  }

  async findAll(): Promise<readonly Hold[]> {
    return this.manager.listHolds();
  }
}
