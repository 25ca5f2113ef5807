import { existsSync, readFileSync } from 'node:fs';
import { MANUAL, MARKDOWN, page } from './support/manual.js';
import { PROJECT } from './support/page.js';

const ELSEWHERE = /^(?:https?|mailto):/;

it.each(MARKDOWN)('$path has headings that can be told apart', ({ anchors }) => {
  expect(new Set(anchors).size).toBe(anchors.length);
});

it.each(MARKDOWN)('$path links to files and headings that exist', (from) => {
  const targets = from.links.filter((target) => !ELSEWHERE.test(target));
  expect(targets.filter((target) => !leadsSomewhere(target))).toEqual([]);

  function leadsSomewhere(target: string): boolean {
    const path = from.resolve(target);
    const [, anchor] = target.split('#');
    const to = MARKDOWN.find((other) => other.path === path);
    return existsSync(`${PROJECT}${path}`) && (anchor === undefined || to?.anchors.includes(anchor) === true);
  }
});

it('leads to every page of the manual from its index', () => {
  const index = page('README');
  const reached = new Set([index.path, ...index.links.map((target) => index.resolve(target))]);
  expect(MANUAL.map(({ path }) => path).filter((path) => !reached.has(path))).toEqual([]);
});

it('names scripts that exist', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(`${PROJECT}package.json`, 'utf8'),
  );
  const texts = MARKDOWN.map(({ text }) => text).join('\n');
  const named = [...texts.matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, shortcut]) => script ?? shortcut ?? '',
  );
  expect(named).toEqual(expect.arrayContaining(['start', 'test', 'build']));
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});
