import { Injectable } from '@nestjs/common';
import {
  definedFields,
  RUN_REASONS,
  RUN_STATUSES,
  RunNotFoundError,
  type Run,
  type RunSummary,
} from '../../schedules/index.js';
import { isUuid, type RunSearch, type RunSortField } from '../../storage/index.js';
import type { PermissionTarget } from '../access/permission-checker.js';
import type { Shaped } from '../input/field.js';
import type { PageRequest } from '../input/page-meta.js';
import { cursorOf, placeOf } from '../input/history-cursor.js';
import {
  HISTORY_LIMIT,
  type oneRunShape,
  type runHistoryShape,
  type runIdShape,
  type runSearchShape,
} from '../input/run.shapes.js';
import { refuseOutside } from '../input/limits.js';
import { oneOf, searchable } from '../input/search-values.js';
import type { UncheckedParams } from '../input/unchecked-params.js';
import { pageAnswer, sliceOf, type PageAnswer } from './page-answer.js';
import { StoreReader } from '../../manager/index.js';

/** A step through the history of runs. */
export interface HistoryAnswer {
  readonly items: readonly RunSummary[];
  /** Where to go on; absent at the end. */
  readonly nextCursor?: string;
}

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

  /** @throws ScheduleInvalidError for a limit or a cursor that there is not. */
  async findCursor({
    cursor,
    limit = HISTORY_LIMIT.byDefault,
    ...params
  }: Shaped<typeof runHistoryShape>): Promise<HistoryAnswer> {
    refuseOutside('params.limit', limit, HISTORY_LIMIT);
    const search = searchOf(params);
    const step = { limit, ...(cursor === undefined ? {} : { beforeId: placeOf(cursor) }) };
    return this.reader.read(async (storage, { executor }) => {
      const { items, nextBeforeId } = await storage.runHistory.find(executor, search, step);
      return { items, ...(nextBeforeId === undefined ? {} : { nextCursor: cursorOf(nextBeforeId) }) };
    });
  }

  /** @throws RunNotFoundError */
  async findOne(params: Shaped<typeof oneRunShape>): Promise<Run> {
    const run = await this.findOptional(searchOf(params));
    if (run === undefined) {
      throw new RunNotFoundError(params.id);
    }
    return run;
  }

  /** @throws RunNotFoundError */
  async findAttempts({ id }: Shaped<typeof runIdShape>): Promise<readonly RunSummary[]> {
    const attempts = !isUuid(id)
      ? []
      : await this.reader.read(async (storage, { executor }) => storage.runAttempts.find(executor, id));
    if (attempts.length === 0) {
      throw new RunNotFoundError(id);
    }
    return attempts;
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
  const { status, reason, ...exact } = searchable(params);
  return definedFields({
    ...exact,
    statuses: listOf(oneOf('status', status, RUN_STATUSES).status),
    reasons: listOf(oneOf('reason', reason, RUN_REASONS).reason),
  });
}

function listOf<Word>(word: Word | undefined): readonly Word[] | undefined {
  return word === undefined ? undefined : [word];
}

/** No run has an id that is no UUID. */
function isPossible({ id }: RunSearch): boolean {
  return id === undefined || isUuid(id);
}
