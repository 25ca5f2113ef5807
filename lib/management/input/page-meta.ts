import { ScheduleInvalidError } from '../../schedules/index.js';
import { MAX_PAGED_ROWS } from '../../storage/index.js';
import { integer, readShape, record, required, text, type Shape } from './field.js';

/** Which page of a result is asked for. */
export interface PageRequest<SortField extends string = string> {
  /** From 1 on. */
  readonly page: number;
  readonly size: number;
  readonly sort?: { readonly field: SortField; readonly isDescending: boolean };
}

const DEFAULT_SIZE = 15;
const MAX_SIZE = 1_000;

/** The shape of `meta` for results that can be sorted by these columns. */
export function pageMetaShape(sortFields: readonly string[]) {
  return {
    page: integer({ description: 'The page, from 1 on.', minimum: 1, default: 1 }),
    size: integer({ description: 'Items on a page.', minimum: 1, maximum: MAX_SIZE, default: DEFAULT_SIZE }),
    sort: record(
      {
        field: required(text({ description: 'The field to sort by.', enum: [...sortFields] })),
        direction: text({ description: 'The direction.', enum: ['asc', 'desc'], default: 'asc' }),
      },
      { description: `How to sort. Default: by ${sortFields[0]}, as the action says.` },
    ),
  } satisfies Shape;
}

/**
 * Reads the `meta` of an operation whose result has pages.
 *
 * @throws MalformedRequestError for its shape; ScheduleInvalidError for a page, size or order that there is not.
 */
export function readPageMeta<SortField extends string>(
  meta: unknown,
  sortFields: readonly SortField[],
): PageRequest<SortField> {
  const given = readShape(pageMetaShape(sortFields), meta ?? {}, 'meta');
  const { page = 1, size = DEFAULT_SIZE } = given;
  refuseUnless(page >= 1, `meta.page must be at least 1, not ${page}.`);
  refuseUnless(size >= 1 && size <= MAX_SIZE, `meta.size must be from 1 to ${MAX_SIZE}, not ${size}.`);
  refuseUnless(
    (page - 1) * size < MAX_PAGED_ROWS,
    `meta.page ${page} lies beyond the first ${MAX_PAGED_ROWS} items, where pages end; narrow the filters, by time for instance, or walk through runs with find_cursor.`,
  );
  return { page, size, ...(given.sort === undefined ? {} : { sort: readSort(given.sort, sortFields) }) };
}

/** Reads the `meta` of an operation that has no pages: nothing can be said in it. */
export function readNoMeta(meta: unknown): void {
  readShape({}, meta ?? {}, 'meta');
}

function readSort<SortField extends string>(
  sort: { readonly field: string; readonly direction?: string },
  sortFields: readonly SortField[],
): NonNullable<PageRequest<SortField>['sort']> {
  const field = sortFields.find((candidate) => candidate === sort.field);
  const { direction = 'asc' } = sort;
  if (field === undefined) {
    throw new ScheduleInvalidError(`meta.sort.field must be one of ${sortFields.join(', ')}.`);
  }
  refuseUnless(direction === 'asc' || direction === 'desc', 'meta.sort.direction must be asc or desc.');
  return { field, isDescending: direction === 'desc' };
}

function refuseUnless(isGood: boolean, message: string): void {
  if (!isGood) {
    throw new ScheduleInvalidError(message);
  }
}
