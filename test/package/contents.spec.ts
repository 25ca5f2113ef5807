import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from './support/run.js';
import { packTarball, PROJECT, type Tarball } from './support/tarball.js';

const BIN = join(PROJECT, 'node_modules/.bin');

describe('the package', () => {
  let tarball: Tarball;

  beforeAll(async () => {
    tarball = await packTarball();
  });

  afterAll(async () => {
    await tarball.remove();
  });

  it('holds what runs, its declarations, and what is to be read', () => {
    const outside = tarball.files.filter(
      (path) => !/^dist\/(?:lib|migrations)\/.*\.(?:js|d\.ts)$/.test(path) && !isConsole(path),
    );
    expect(outside.toSorted()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json']);
    const code = tarball.files.filter((path) => path.endsWith('.js') && !isConsole(path));
    expect(code.filter((path) => !tarball.files.includes(path.replace(/\.js$/, '.d.ts')))).toEqual([]);
  });

  it('is as large as the manual says', async () => {
    const readme = await readFile(join(PROJECT, 'README.md'), 'utf8');
    const [, packed, unpacked] = /(\d+) KB packed, (\d+) KB unpacked/.exec(readme) ?? [];
    const inKilobytes = { packed: tarball.packedSize / 1_000, unpacked: tarball.unpackedSize / 1_000 };
    for (const [stated, measured] of [
      [packed, inKilobytes.packed],
      [unpacked, inKilobytes.unpacked],
    ] as const) {
      const share = Number(stated) / measured;
      expect([inKilobytes, share > 0.8 && share < 1.25]).toEqual([inKilobytes, true]);
    }
  });

  it('runs nothing when it is installed', async () => {
    const { scripts }: { scripts: object } = JSON.parse(
      await readFile(join(PROJECT, 'package.json'), 'utf8'),
    );
    const hooks = Object.keys(scripts).filter((name) =>
      /^(?:pre|post)?(?:install|prepare|publish)$/.test(name),
    );
    expect(hooks).toEqual([]);
    expect(tarball.files).not.toContain('binding.gyp');
  });

  it('has nothing that publint finds', async () => {
    const output = await run(join(BIN, 'publint'), [tarball.path, '--strict'], { cwd: PROJECT });
    expect(output).toContain('All good!');
  });

  it('has types that resolve, for ES modules and where those can be required', async () => {
    // Fails where it finds a problem. What it ignores: tools that know no `exports`, and a Node that cannot require these.
    const profile = ['--profile', 'esm-only'];
    const output = await run(join(BIN, 'attw'), [tarball.path, ...profile], { cwd: PROJECT });
    expect(output).toContain('🟢 (ESM)');
  });
});

/** The console's own: a page with its scripts, styles and pictures. */
function isConsole(path: string): boolean {
  return path.startsWith('dist/lib/console/static/');
}
