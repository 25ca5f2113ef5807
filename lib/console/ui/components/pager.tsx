import type { PageOf } from '../api/answers.js';
import { countText } from './texts.js';

interface PagerProps {
  readonly of: Pick<PageOf<unknown>, 'page' | 'size' | 'total' | 'totalIsExact'>;
  readonly onPage: (page: number) => void;
}

/** Which part of a result is shown, and the way to the others. */
export function Pager({ of: { page, size, total, totalIsExact }, onPage }: PagerProps) {
  const last = Math.max(1, Math.ceil(total / size));
  const from = total === 0 ? 0 : (page - 1) * size + 1;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="muted" aria-live="polite">
        {countText(from)}–{countText(Math.min(page * size, total))} of {countText(total)}
        {totalIsExact ? '' : ' or more'}
      </span>
      <button type="button" class="button-small" disabled={page <= 1} onClick={() => onPage(page - 1)}>
        Previous
      </button>
      <button type="button" class="button-small" disabled={page >= last} onClick={() => onPage(page + 1)}>
        Next
      </button>
    </nav>
  );
}
