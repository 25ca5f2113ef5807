import { codeBlocksOf, MARKDOWN } from './support/manual.js';
import { faultsIn } from './support/snippets.js';

/** Of TypeScript and JSON there is one name each, under which it is checked. */
const KNOWN_LANGUAGES = new Set([
  'ts',
  'json',
  'sh',
  'sql',
  'text',
  'mermaid',
  'yaml',
  'ini',
  'dockerfile',
  'promql',
  '',
]);

it('shows only TypeScript that compiles against the package', () => {
  const blocks = codeBlocksOf(MARKDOWN, 'ts');
  expect(blocks.length).toBeGreaterThan(30);
  expect(faultsIn(blocks)).toEqual([]);
});

it('shows only JSON that can be parsed', () => {
  const blocks = codeBlocksOf(MARKDOWN, 'json');
  expect(blocks.length).toBeGreaterThan(5);
  blocks.forEach(({ text }) => expect(() => JSON.parse(text) as unknown).not.toThrow());
});

it('has no TypeScript and no JSON in blocks of another name', () => {
  const languages = MARKDOWN.flatMap(({ codeBlocks }) => codeBlocks).map(({ language }) => language);
  expect(languages.filter((language) => !KNOWN_LANGUAGES.has(language))).toEqual([]);
});
