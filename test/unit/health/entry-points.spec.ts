import { existsSync, readFileSync } from 'node:fs';
import { jest } from '@jest/globals';

const PROJECT = new URL('../../../', import.meta.url);

describe('the entry points', () => {
  afterEach(() => {
    jest.resetModules();
  });

  it('are files that the build makes of sources that exist', () => {
    const { exports }: { exports: Record<string, string | { types: string; default: string }> } = JSON.parse(
      readFileSync(new URL('package.json', PROJECT), 'utf8'),
    );
    const built = Object.values(exports).flatMap((target) =>
      typeof target === 'string' ? [] : [target.types, target.default],
    );
    const sources = built.map((path) => path.replace('./dist/', '').replace(/\.(?:d\.ts|js)$/, '.ts'));
    expect(sources.filter((path) => !existsSync(new URL(path, PROJECT)))).toEqual([]);
  });

  it('need @nestjs/terminus only where it is asked for', async () => {
    jest.unstable_mockModule('@nestjs/terminus', () => {
      throw new Error('It is not installed.');
    });
    await expect(import('../../../lib/index.js')).resolves.toHaveProperty('CronStoreModule');
    await expect(import('../../../lib/health/index.js')).resolves.toHaveProperty('CronStoreHealth');
    await expect(import('../../../lib/health/terminus.js')).rejects.toThrow('It is not installed.');
  });
});
