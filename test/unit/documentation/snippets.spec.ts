import { codeBlocks } from './support/readme.js';
import { faultsIn } from './support/snippets.js';

it('shows only TypeScript that compiles against the package', () => {
  const blocks = codeBlocks('ts');
  expect(blocks.length).toBeGreaterThan(10);
  expect(faultsIn(blocks)).toEqual([]);
});
