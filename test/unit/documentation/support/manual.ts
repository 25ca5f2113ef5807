import { readdirSync } from 'node:fs';
import { type CodeBlock, Page, PROJECT } from './page.js';

export const README = new Page('README.md');

/** The README and every page below `docs`. */
export const MANUAL: readonly Page[] = [README, ...markdownBelow('docs').map((path) => new Page(path))];

/** Every Markdown file of the project. */
export const MARKDOWN: readonly Page[] = [
  ...MANUAL,
  ...['CHANGELOG.md', ...['sample', 'test'].flatMap(markdownBelow)].map((path) => new Page(path)),
];

/** A page of `docs` by its name. */
export function page(name: string): Page {
  const found = MANUAL.find(({ path }) => path === `docs/${name}.md`);
  if (found === undefined) {
    throw new Error(`The manual has no page docs/${name}.md.`);
  }
  return found;
}

/** The manual without its code blocks. */
export const manualProse = MANUAL.map(({ prose }) => prose).join('\n');

/** Every fenced block of one of these languages in some pages. */
export function codeBlocksOf(pages: readonly Page[], ...languages: readonly string[]): readonly CodeBlock[] {
  return pages.flatMap(({ codeBlocks }) => codeBlocks).filter(({ language }) => languages.includes(language));
}

function markdownBelow(folder: string): readonly string[] {
  return readdirSync(`${PROJECT}${folder}`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !path.includes('node_modules') && !path.includes('dist/'))
    .map((path) => `${folder}/${path}`)
    .toSorted();
}
