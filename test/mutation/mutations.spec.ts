import { readFileSync } from 'node:fs';
import { page } from '../unit/documentation/support/manual.js';
import { PROJECT } from '../unit/documentation/support/page.js';
import type { Edit, Killer } from './mutation.js';
import { MUTATIONS, REDUNDANT_GUARDS } from './mutations/index.js';
import { changed } from './working-copy.js';

interface Removal {
  readonly guard: string;
  readonly edits: readonly Edit[];
  readonly tests: Killer;
}

const REMOVALS: readonly Removal[] = [
  ...MUTATIONS.map(({ guard, edits, killer }) => ({ guard, edits, tests: killer })),
  ...REDUNDANT_GUARDS.map(({ guard, edits, survives }) => ({ guard, edits, tests: survives })),
];

function sourceOf(file: string): string {
  return readFileSync(`${PROJECT}${file}`, 'utf8');
}

describe('the mutations', () => {
  it('have a name each', () => {
    expect(new Set(REMOVALS.map(({ guard }) => guard)).size).toBe(REMOVALS.length);
  });

  it.each(REMOVALS)('apply to the code as it is: $guard', ({ edits, tests }) => {
    for (const edit of edits) {
      expect(changed(sourceOf(edit.file), edit)).not.toBe(sourceOf(edit.file));
    }
    expect(sourceOf(tests.spec)).toContain(tests.test);
  });

  it('are what the manual tells', () => {
    const table = page('guarantees').tableIn('Removing the guards', 'Guard removed');

    expect(table.rows).toEqual(
      MUTATIONS.map(({ guard, guarantee, killer }) => [
        guard,
        guarantee,
        `[${killer.spec.split('/').at(-1)?.replace('.spec.ts', '')}](../${killer.spec})`,
      ]),
    );
  });
});
