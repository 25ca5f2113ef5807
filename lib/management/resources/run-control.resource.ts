import { Inject, Injectable } from '@nestjs/common';
import {
  SCHEDULE_MANAGER,
  type ScheduleManager,
  type CancelReceipt,
  type ManualFireReceipt,
} from '../../manager/index.js';
import { definedFields } from '../../schedules/index.js';
import { isUuid } from '../../storage/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import type { Shaped } from '../input/field.js';
import type { rerunShape, runIdShape } from '../input/run.shapes.js';
import type { scheduleNameShape } from '../input/schedule.shapes.js';
import type { UncheckedParams } from '../input/unchecked-params.js';
import type { Origin } from '../operations/operation.js';
import { StoreReader } from '../../manager/index.js';

/** `sys/cron/run`: what an operator can do with runs. */
@Injectable()
export class RunControlResource {
  constructor(
    @Inject(SCHEDULE_MANAGER) private readonly manager: ScheduleManager,
    private readonly reader: StoreReader,
  ) {}

  async cancel({ id }: Shaped<typeof runIdShape>, origin: Origin): Promise<CancelReceipt> {
    return this.manager.cancelRun(id, origin);
  }

  async cancelAll({ name }: Shaped<typeof scheduleNameShape>, origin: Origin): Promise<CancelReceipt> {
    return this.manager.cancelRunsOf(name, origin);
  }

  async rerun({ id, evenIfPaused }: Shaped<typeof rerunShape>, origin: Origin): Promise<ManualFireReceipt> {
    return this.manager.rerun(id, { ...origin, ...definedFields({ evenIfPaused }) });
  }

  /**
   * The schedule and job of the run, as they were and as they are: a run is repeated by the schedule as it is now.
   * Absent where there is no such run.
   */
  async targetOf({ id }: UncheckedParams): Promise<PermissionTarget | undefined> {
    if (!isUuid(id)) {
      return undefined;
    }
    return this.reader.read(async (storage, { executor }) => {
      const run = await storage.runPages.findOne(executor, { id });
      if (run === undefined) {
        return undefined;
      }
      const { scheduleName, jobName, scheduleId } = run;
      const { name = scheduleName, jobName: currentJobName = jobName } =
        (await storage.schedulePages.identityOf(executor, scheduleId)) ?? {};
      return {
        scheduleNames: name === scheduleName ? [name] : [scheduleName, name],
        jobNames: currentJobName === jobName ? [jobName] : [jobName, currentJobName],
      };
    });
  }
}
