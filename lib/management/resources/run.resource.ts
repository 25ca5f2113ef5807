import { Injectable } from '@nestjs/common';
import { RUN_STATUSES, RunNotFoundError, type Run } from '../../schedules/index.js';
import { isUuid, type RunSearch, type RunSortField } from '../../storage/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import type { Shaped } from '../input/field.js';
import type { PageRequest } from '../input/page-meta.js';
import type { oneRunShape, runSearchShape } from '../input/run.shapes.js';
import { oneOf, searchable } from '../input/search-values.js';
import type { UncheckedParams } from '../input/unchecked-params.js';
import { pageAnswer, sliceOf, type PageAnswer } from './page-answer.js';
import { StoreReader } from './store-reader.js';

/** `sys/cron/run`: the journal, to read. */
@Injectable()
export class RunResource {
  constructor(private readonly reader: StoreReader) {}

  async findPage(
    params: Shaped<typeof runSearchShape>,
    page: PageRequest<RunSortField>,
  ): Promise<PageAnswer<Run>> {
    const search = searchOf(params);
    if (!isPossible(search)) {
      return pageAnswer(page, { items: [], total: 0, totalIsExact: true });
    }
    return this.reader.read(async (storage, { executor }) =>
      pageAnswer(page, await storage.runPages.find(executor, search, sliceOf(page))),
    );
  }

  /** @throws RunNotFoundError */
  async findOne(params: Shaped<typeof oneRunShape>): Promise<Run> {
    const run = await this.findOptional(searchOf(params));
    if (run === undefined) {
      throw new RunNotFoundError(params.id);
    }
    return run;
  }

  /** The schedule and job of the run that is asked for; absent where there is no such run. */
  async targetOf({ id }: UncheckedParams): Promise<PermissionTarget | undefined> {
    const run = typeof id === 'string' ? await this.findOptional({ id }) : undefined;
    return run === undefined ? undefined : { scheduleNames: [run.scheduleName], jobNames: [run.jobName] };
  }

  private async findOptional(search: RunSearch): Promise<Run | undefined> {
    return isPossible(search)
      ? this.reader.read(async (storage, { executor }) => storage.runPages.findOne(executor, search))
      : undefined;
  }
}

function searchOf(params: Shaped<typeof runSearchShape>): RunSearch {
  const { status, ...exact } = searchable(params);
  return { ...exact, ...oneOf('status', status, RUN_STATUSES) };
}

/** No run has an id that is no UUID. */
function isPossible({ id }: RunSearch): boolean {
  return id === undefined || isUuid(id);
}
