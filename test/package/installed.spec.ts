import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase } from '../support/database.js';
import { ScratchApp } from './support/scratch-app.js';
import { packTarball, PROJECT, type Tarball } from './support/tarball.js';

interface Manifest {
  readonly exports: Readonly<Record<string, unknown>>;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly peerDependencies: Readonly<Record<string, string>>;
}

/** An entry point that is there for an optional peer, and of no use without it. */
const ENTRY_OF_PEER: Readonly<Record<string, string>> = {
  '@nestjs/terminus': 'nestjs-cron-store/health/terminus',
};

describe.each([
  { kind: 'an ES module', type: 'module', extension: 'mjs' },
  { kind: 'CommonJS', type: 'commonjs', extension: 'cjs' },
] as const)('an empty application that is $kind', ({ type, extension }) => {
  let tarball: Tarball;
  let app: ScratchApp;
  let entries: readonly string[];
  let optionalPeers: readonly string[];

  beforeAll(async () => {
    tarball = await packTarball();
    const manifest = JSON.parse(await readFile(join(PROJECT, 'package.json'), 'utf8')) as Manifest;
    entries = Object.keys(manifest.exports)
      .filter((path) => path !== './package.json')
      .map((path) => path.replace('.', 'nestjs-cron-store'));
    optionalPeers = Object.keys(manifest.peerDependenciesMeta);
    app = await ScratchApp.create({ type });
    // npm installs the other peers by itself.
    await app.install(
      tarball.path,
      ...optionalPeers.map((name) => `${name}@${manifest.peerDependencies[name]}`),
    );
  }, 300_000);

  afterAll(async () => {
    await app.remove();
    await tarball.remove();
  });

  /** A program that loads entry points and prints what each exports. */
  function loading(paths: readonly string[]): string {
    const loads = paths.map((path) => (type === 'module' ? `await import('${path}')` : `require('${path}')`));
    return `console.log(JSON.stringify([${loads.join(', ')}].map((entry) => Object.keys(entry))));`;
  }

  /** A source that uses every export of entry points, as types and as values. */
  function importing(paths: readonly string[]): string {
    const imports = paths.map((path, index) =>
      type === 'module'
        ? `import * as entry${index} from '${path}';`
        : `import entry${index} = require('${path}');`,
    );
    return [
      ...imports,
      `export const entries = [${paths.map((_, index) => `entry${index}`).join(', ')}];`,
    ].join('\n');
  }

  it('loads every entry point', async () => {
    const exported: unknown[][] = JSON.parse(await app.node(loading(entries), extension));
    expect(exported).toHaveLength(entries.length);
    expect(exported.filter((names) => names.length === 0)).toEqual([]);
  });

  it('has types for every entry point, down to the last declaration', async () => {
    expect(await app.faultsOf('types.ts', importing(entries))).toEqual([]);
  });

  it('reaches nothing but the entry points', async () => {
    for (const path of [
      'dist/lib/index.js',
      'lib/index.js',
      'dist/lib/storage/index.js',
      'dist/migrations/index.js',
    ]) {
      const attempt = app.node(loading([`nestjs-cron-store/${path}`]), extension);
      await expect(attempt).rejects.toThrow('ERR_PACKAGE_PATH_NOT_EXPORTED');
    }
    const manifest = JSON.parse(
      await app.node(
        `${type === 'module' ? "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" : ''}
         console.log(JSON.stringify(require('nestjs-cron-store/package.json')));`,
        extension,
      ),
    ) as Manifest;
    expect(manifest.exports).toBeDefined();
  });

  it('loads without each optional peer', async () => {
    expect(optionalPeers.length).toBeGreaterThan(2);
    for (const peer of optionalPeers) {
      const usable = entries.filter((path) => path !== ENTRY_OF_PEER[peer]);
      const exported = await app.without([peer], () => app.node(loading(usable), extension));
      expect([peer, JSON.parse(exported)]).toEqual([peer, expect.any(Array)]);
    }
  });

  it('has types that need no optional peer', async () => {
    const usable = entries.filter((path) => !Object.values(ENTRY_OF_PEER).includes(path));
    const faults = await app.without(optionalPeers, () => app.faultsOf('types.ts', importing(usable)));
    expect(faults).toEqual([]);
  });

  it('runs schedules, and has its command', async () => {
    const database = await createTestDatabase();
    try {
      const output = await app.node(program(type), extension, { DATABASE_URL: database.url });
      expect(output).toContain('"status":"succeeded"');
      const help = await app.run(join(app.folder, 'node_modules/.bin/cron-store'), ['--help']);
      expect(help).toContain('schedules');
    } finally {
      await database.drop();
    }
  });
});

/** Starts an application, fires once, and prints the run. */
function program(type: 'module' | 'commonjs'): string {
  const load = (names: string, path: string) =>
    type === 'module' ? `import { ${names} } from '${path}';` : `const { ${names} } = require('${path}');`;
  return `
    ${type === 'module' ? "import 'reflect-metadata';" : "require('reflect-metadata');"}
    ${load('NestFactory', '@nestjs/core')}
    ${load('EventEmitterModule', '@nestjs/event-emitter')}
    ${load('TypeOrmModule', '@nestjs/typeorm')}
    ${load('CronStoreModule, JobHandlerRegistry', 'nestjs-cron-store')}
    ${load('CronStoreTester', 'nestjs-cron-store/testing')}
    class AppModule {
      constructor(registry) {
        registry.register({ name: 'greet', execute: ({ params }) => console.log('Hello, ' + params.name) });
      }
    }
    Reflect.defineMetadata('design:paramtypes', [JobHandlerRegistry], AppModule);
    async function main() {
      const app = await NestFactory.createApplicationContext(
        {
          module: AppModule,
          imports: [
            TypeOrmModule.forRoot({ type: 'postgres', url: process.env.DATABASE_URL }),
            EventEmitterModule.forRoot(),
            CronStoreModule.forRoot({ autoMigrate: true }),
          ],
        },
        { logger: ['error', 'warn'] },
      );
      const store = await CronStoreTester.on(app);
      const params = { name: 'world' };
      await store.schedules.create({ name: 'greeting', jobName: 'greet', trigger: { kind: 'cron', expr: '0 0 1 1 *' }, params });
      console.log(JSON.stringify(await store.fireAndWait('greeting')));
      await app.close();
    }
    void main();
  `;
}
