import { existsSync, readFileSync } from 'node:fs';
import { anchors, PROJECT, prose, readmeText } from './support/readme.js';

const links = [...prose().matchAll(/\]\(([^)\s]+)\)/g)]
  .map(([, target = '']) => target)
  .filter((target) => !target.startsWith('https://'));

it('links to headings that exist', () => {
  const headings = anchors();
  const targets = links.filter((target) => target.startsWith('#')).map((target) => target.slice(1));
  expect(targets.filter((target) => !headings.includes(target))).toEqual([]);
  expect(new Set(headings).size).toBe(headings.length);
});

it('links to files that exist', () => {
  const paths = links.filter((target) => !target.startsWith('#')).map((target) => target.replace(/#.*/, ''));
  expect(paths.filter((path) => !existsSync(`${PROJECT}${path}`))).toEqual([]);
});

it('names scripts that exist', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(
    readFileSync(`${PROJECT}package.json`, 'utf8'),
  );
  const named = [...readmeText().matchAll(/npm (?:run ([\w:-]+)|(start|test)\b)/g)].map(
    ([, script, shortcut]) => script ?? shortcut ?? '',
  );
  expect(named).toEqual(expect.arrayContaining(['start', 'test', 'build']));
  expect(named.filter((script) => !Object.hasOwn(scripts, script))).toEqual([]);
});
