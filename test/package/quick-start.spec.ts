import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { ScratchApp } from './support/scratch-app.js';
import { packTarball, PROJECT, type Tarball } from './support/tarball.js';

const COMPILER = join(PROJECT, 'node_modules/typescript/bin/tsc');

/** An ES module, with decorators. */
const AS_THE_README_SAYS = [
  '--module',
  'nodenext',
  '--target',
  'es2023',
  '--strict',
  '--skipLibCheck',
  '--experimentalDecorators',
  '--emitDecoratorMetadata',
];

/** What a reader does who follows the quick start of the README from its first line to its last. */
describe('the quick start', () => {
  let tarball: Tarball;
  let app: ScratchApp;
  let database: TestDatabase;
  let installation: string;
  let source: string;
  let commands: readonly string[];

  beforeAll(async () => {
    const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
    const section = readme.slice(readme.indexOf('## Quick start'), readme.indexOf('## Beside others'));
    const [install = '', , manage = ''] = blocksOf(section, 'sh');
    [source = ''] = blocksOf(section, 'ts');
    commands = manage.trim().split('\n');
    tarball = await packTarball();
    installation = install.replace(/\.\/nestjs-cron-store-[\d.]+\.tgz/, tarball.path);
    database = await createTestDatabase();
    app = await ScratchApp.create({ type: 'module' });
  }, 300_000);

  afterAll(async () => {
    await app.remove();
    await tarball.remove();
    await database.drop();
  });

  it('takes fifteen lines of code at most', () => {
    const lines = source.split('\n').filter((line) => line !== '' && !line.startsWith('//'));
    expect(lines.length).toBeLessThanOrEqual(15);
    expect(lines.length).toBeGreaterThan(5);
  });

  it('installs, compiles, fires, and obeys the command line', async () => {
    await app.run('sh', ['-c', installation]);
    await app.write('main.ts', source);
    await app.run(process.execPath, [COMPILER, ...AS_THE_README_SAYS, 'main.ts']);
    const program = spawn(process.execPath, ['main.js'], {
      cwd: app.folder,
      env: { ...process.env, DATABASE_URL: database.url },
    });
    try {
      expect(await lineOf(program, 'runs the occurrence of')).toMatch(/ runs the occurrence of 2\d{3}-.*Z$/);
      expect(commands).toHaveLength(3);
      for (const command of commands) {
        await app.run('sh', ['-c', command], { DATABASE_URL: database.url });
      }
    } finally {
      program.kill('SIGTERM');
    }
    const [code, signal]: unknown[] = await once(program, 'close');
    // Nest ends the process by the signal that it was asked to end by.
    expect([code, signal]).toEqual([null, 'SIGTERM']);
  }, 300_000);
});

function blocksOf(text: string, language: string): readonly string[] {
  const pattern = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\`$`, 'gms');
  return [...text.matchAll(pattern)].map(([, block = '']) => block);
}

/** The first line of a process that contains a text. */
async function lineOf({ stdout, stderr }: ChildProcess, text: string): Promise<string> {
  let said = '';
  const streams = [stdout, stderr].filter((stream) => stream !== null);
  return new Promise((resolve, reject) => {
    for (const stream of streams) {
      stream.setEncoding('utf8').on('data', (chunk: string) => {
        said += chunk;
        const line = said
          .split('\n')
          .find((candidate, index, all) => index < all.length - 1 && candidate.includes(text));
        if (line !== undefined) {
          resolve(line);
        }
      });
      stream.once('end', () => reject(new Error(`The program ended and said: ${said}`)));
    }
  });
}
