import { execFile } from 'node:child_process';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';

const ROOT = join(import.meta.dirname, '../../..');
/** Below the package, so that its dependencies resolve. */
const OUTPUT = join(ROOT, 'node_modules/.cache/nestjs-cron-store/process-zone');

const SCRIPT = `
import { readFileSync } from 'node:fs';
import { cron, describeTrigger, nextFires, once } from './lib/triggers/index.js';
const read = (name) => JSON.parse(readFileSync(new URL(name, import.meta.url), 'utf8'));
const cases = [...read('cron-next.json'), ...read('cron-real-world.json')];
const differing = cases.filter(({ expr, timezone, after, next }) => {
  const fires = nextFires(cron(expr, timezone), { after: new Date(after), count: next.length });
  return fires.join() !== next.map((text) => Date.parse(text)).join();
});
console.log(JSON.stringify({ hours: new Date(0).getHours(), differing, once: describeTrigger(once(0)) }));
`;

beforeAll(async () => {
  await mkdir(OUTPUT, { recursive: true });
  const leaves = await readdir(join(ROOT, 'lib'));
  const triggers = await readdir(join(ROOT, 'lib/triggers'), { recursive: true });
  const sources = [...leaves, ...triggers.map((file) => join('triggers', file))];
  const files = sources.filter((file) => file.endsWith('.ts')).map((file) => join('lib', file));
  await Promise.all(files.map((file) => transpile(file)));
  await cp(join(ROOT, 'test/cases'), OUTPUT, { recursive: true });
  await writeFile(join(OUTPUT, 'script.js'), SCRIPT);
  await writeFile(join(OUTPUT, 'package.json'), '{ "type": "module" }');
});

afterAll(() => rm(OUTPUT, { recursive: true, force: true }));

async function transpile(file: string): Promise<void> {
  const source = await readFile(join(ROOT, file), 'utf8');
  const target = join(OUTPUT, file.replace(/\.ts$/, '.js'));
  const { outputText } = ts.transpileModule(source, {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 },
  });
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, outputText);
}

it.each([
  ['America/St_Johns', 20],
  ['Australia/Lord_Howe', 10],
  ['Pacific/Apia', 13],
  ['UTC', 0],
])('fires the same in a process of the zone %s', async (TZ, hours) => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(OUTPUT, 'script.js')], {
    env: { ...process.env, TZ, NODE_OPTIONS: '' },
  });
  expect(JSON.parse(stdout)).toEqual({ hours, differing: [], once: 'January 1, 1970 at 00:00:00 UTC' });
});
