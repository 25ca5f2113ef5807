import { Inject, Injectable } from '@nestjs/common';
import {
  SCHEDULE_MANAGER,
  type ScheduleManager,
  ScheduleReader,
  type ManualFireReceipt,
  type ScheduleDetail,
  type TriggerOptions,
} from '../../manager/index.js';
import {
  definedFields,
  defineSchedule,
  type ListedSchedule,
  type Schedule,
  isStorableText,
} from '../../schedules/index.js';
import type { ScheduleSortField } from '../../storage/index.js';
import { nextFires, TRIGGER_KINDS } from '../../triggers/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import type { Shaped } from '../input/field.js';
import type { PageRequest } from '../input/page-meta.js';
import type {
  createScheduleShape,
  deleteScheduleShape,
  patchScheduleShape,
  pauseScheduleShape,
  previewFiresShape,
  scheduleNameShape,
  scheduleSearchShape,
  triggerNowShape,
  updateScheduleShape,
} from '../input/schedule.shapes.js';
import { oneOf, searchable } from '../input/search-values.js';
import type { UncheckedParams } from '../input/unchecked-params.js';
import type { Origin } from '../operations/operation.js';
import { definitionOf } from './schedule-definition.mapper.js';
import { pageAnswer, sliceOf, type PageAnswer } from './page-answer.js';
import { StoreReader } from '../../manager/index.js';

/** Upcoming fires of a trigger. */
export interface FiresPreview {
  readonly nextFiresUnixMs: readonly number[];
}

/** `sys/cron/schedule`: schedules as the API gives and takes them. */
@Injectable()
export class ScheduleResource {
  constructor(
    @Inject(SCHEDULE_MANAGER) private readonly manager: ScheduleManager,
    private readonly schedules: ScheduleReader,
    private readonly reader: StoreReader,
  ) {}

  async findPage(
    params: Shaped<typeof scheduleSearchShape>,
    page: PageRequest<ScheduleSortField>,
  ): Promise<PageAnswer<ListedSchedule>> {
    const { kind, orphaned, late, ...exact } = searchable(params);
    const search = {
      ...exact,
      ...oneOf('kind', kind, TRIGGER_KINDS),
      ...definedFields({ isOrphaned: orphaned, isLate: late }),
    };
    return pageAnswer(page, await this.schedules.findPage(search, sliceOf(page)));
  }

  async get({ name }: Shaped<typeof scheduleNameShape>): Promise<ScheduleDetail> {
    return this.manager.get(name);
  }

  async listJobs(): Promise<readonly string[]> {
    return this.manager.listJobs();
  }

  /** Refuses what a save would refuse; a trigger that would never fire has no fires to show. */
  async previewFires(params: Shaped<typeof previewFiresShape>): Promise<FiresPreview> {
    const { trigger, startsAtUnixMs, endsAtUnixMs } = defineSchedule({
      ...definitionOf(params),
      name: 'preview',
      jobName: 'preview',
    });
    return this.reader.read(async (_storage, { nowUnixMs }) => ({
      nextFiresUnixMs: nextFires(trigger, {
        after: nowUnixMs,
        startsAt: startsAtUnixMs,
        endsAt: endsAtUnixMs,
        anchor: startsAtUnixMs ?? nowUnixMs,
      }),
    }));
  }

  async create(params: Shaped<typeof createScheduleShape>, origin: Origin): Promise<Schedule> {
    return this.manager.create(definitionOf(params), origin);
  }

  async update(params: Shaped<typeof updateScheduleShape>, origin: Origin): Promise<Schedule> {
    const spec = definitionOf(params);
    return this.manager.update(params.name, spec, { ...origin, ...versionOf(params) });
  }

  async patch(params: Shaped<typeof patchScheduleShape>, origin: Origin): Promise<Schedule> {
    const changes = definitionOf(params);
    return this.manager.patch(params.name, changes, { ...origin, ...versionOf(params) });
  }

  async delete(params: Shaped<typeof deleteScheduleShape>, origin: Origin): Promise<void> {
    await this.manager.delete(params.name, { ...origin, ...versionOf(params) });
  }

  async pause(params: Shaped<typeof pauseScheduleShape>, origin: Origin): Promise<void> {
    const { name, note, untilUnixMs } = params;
    await this.manager.pause(name, { ...origin, ...definedFields({ note, until: untilUnixMs }) });
  }

  async resume({ name }: Shaped<typeof scheduleNameShape>, origin: Origin): Promise<void> {
    await this.manager.resume(name, origin);
  }

  async triggerNow(
    { name, ...options }: Shaped<typeof triggerNowShape>,
    origin: Origin,
  ): Promise<ManualFireReceipt> {
    // What may be params of a fire is decided by the manager, for code and API alike.
    return this.manager.triggerNow(name, { ...origin, ...options } as TriggerOptions);
  }

  /** What the creation of a schedule is about; absent where the params do not say, which is refused later. */
  targetOfNew({ name, jobName }: UncheckedParams): PermissionTarget | undefined {
    return isText(name) && isText(jobName) ? { scheduleNames: [name], jobNames: [jobName] } : undefined;
  }

  /** What an action on a schedule is about; absent where there is no such schedule. */
  async targetOf({ name, newName, jobName }: UncheckedParams): Promise<PermissionTarget | undefined> {
    const current = isText(name) ? await this.currentJobOf(name) : undefined;
    return !isText(name) || current === undefined
      ? undefined
      : {
          scheduleNames: isText(newName) ? [name, newName] : [name],
          jobNames: isText(jobName) && jobName !== current ? [current, jobName] : [current],
        };
  }

  private async currentJobOf(name: string): Promise<string | undefined> {
    return !isStorableText(name)
      ? undefined
      : this.reader.read((storage, { executor }) => storage.schedulePages.jobNameOf(executor, name));
  }
}

function versionOf({ expectedVersion }: { readonly expectedVersion?: number }): {
  readonly expectedVersion?: number;
} {
  return expectedVersion === undefined ? {} : { expectedVersion };
}

function isText(value: unknown): value is string {
  return typeof value === 'string';
}
