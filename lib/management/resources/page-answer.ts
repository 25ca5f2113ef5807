import type { Page, PageSlice } from '../../storage/index.js';
import type { PageRequest } from '../input/page-meta.js';

/** A page as the API answers with it. */
export interface PageAnswer<Item> extends Page<Item> {
  readonly page: number;
  readonly size: number;
}

/** The rows that a page consists of. */
export function sliceOf<SortField extends string>(request: PageRequest<SortField>): PageSlice<SortField> {
  const { page, size, sort } = request;
  return { offset: (page - 1) * size, limit: size, ...(sort === undefined ? {} : { sort }) };
}

/** The page that was asked for. */
export function pageAnswer<Item>({ page, size }: PageRequest, found: Page<Item>): PageAnswer<Item> {
  return { page, size, total: found.total, totalIsExact: found.totalIsExact, items: found.items };
}
