import { readFile } from 'node:fs/promises';
import { PACKAGE_VERSION } from '../../../lib/engine/package-version.js';

it('announces the version that package.json has', async () => {
  const manifest: unknown = JSON.parse(
    await readFile(new URL('../../../package.json', import.meta.url), 'utf8'),
  );
  expect(manifest).toHaveProperty('version', PACKAGE_VERSION);
});
