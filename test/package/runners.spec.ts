import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from './support/run.js';
import { ScratchApp } from './support/scratch-app.js';
import { packTarball, PROJECT, type Tarball } from './support/tarball.js';

const GUIDE = join(PROJECT, 'test/integration/testing/guide');

/** What a new application has for its editors and its deployment, and no test needs. */
const NOT_FOR_TESTS =
  /oxlint|prettier|mau|supertest|coverage|@nestjs\/(?:cli|schematics)|ts-loader|source-map-support/;

/** Applications as `nest new` makes them, by the answer to its question for the module system. */
describe.each([
  { runner: 'Vitest', type: 'esm', extension: '.js', inJson: '--reporter=json' },
  { runner: 'Jest', type: 'cjs', extension: '', inJson: '--json' },
] as const)('a new application with $runner', ({ type, extension, inJson }) => {
  let tarball: Tarball;
  let app: ScratchApp;

  beforeAll(async () => {
    tarball = await packTarball();
    app = await newApplication(type);
    await app.install(tarball.path, ...(type === 'cjs' ? nodeForJest() : []));
  }, 300_000);

  afterAll(async () => {
    await app.remove();
    await tarball.remove();
  });

  it('runs the tests that the manual shows', async () => {
    for (const file of await readdir(GUIDE)) {
      const text = await readFile(join(GUIDE, file), 'utf8');
      await app.write(`src/invoices/${file}`, text.replace("module.js'", `module${extension}'`));
    }
    const output = await app.run('npm', ['test', '--silent', '--', inJson], { NO_COLOR: '1', CI: '1' });
    const [report = ''] = /^\{.*\}$/ms.exec(output) ?? [];
    // Those of the manual, and the one that a new application has.
    expect(JSON.parse(report)).toMatchObject({ numPassedTests: 5, numFailedTests: 0 });
  });
});

/** Jest can require ES modules, as those of NestJS 12 are, on Node 24.9 and newer. A package of npm brings it along. */
function nodeForJest(): readonly string[] {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  return major > 24 || (major === 24 && minor >= 9) ? [] : ['node@24.9.0'];
}

async function newApplication(type: 'esm' | 'cjs'): Promise<ScratchApp> {
  const folder = await mkdtemp(join(tmpdir(), 'nestjs-cron-store-new-'));
  try {
    const cli = createRequire(createRequire(import.meta.url).resolve('@nestjs/cli/package.json'));
    const program = cli.resolve('@angular-devkit/schematics-cli/bin/schematics.js');
    const answers = ['--name=app', `--type=${type}`, '--language=ts', '--package-manager=npm'];
    await run(process.execPath, [program, '@nestjs/schematics:application', ...answers], { cwd: folder });
    const manifest = JSON.parse(await readFile(join(folder, 'app/package.json'), 'utf8')) as {
      readonly devDependencies: Readonly<Record<string, string>>;
    };
    const devDependencies = Object.fromEntries(
      Object.entries(manifest.devDependencies).filter(([name]) => !NOT_FOR_TESTS.test(name)),
    );
    const app = await ScratchApp.create({ ...manifest, devDependencies });
    await cp(join(folder, 'app'), app.folder, {
      recursive: true,
      filter: (source) => !source.endsWith('package.json'),
    });
    return app;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
