import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { APP_GUARD } from '@nestjs/core';
import { type CanActivate, type INestApplication, SetMetadata, VersioningType } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';
import { createTestDatabase, type TestDatabase } from '../support/database.js';
import { type ConsoleApp, type ConsoleAppOptions, startConsoleApp } from './support/console-app.js';
import { buildConsole } from './support/console-build.js';

const MAX_GZIPPED_JAVASCRIPT = 300 * 1024;

it('has less than 300 KB of JavaScript, gzipped', async () => {
  const folder = join(await buildConsole(), 'assets');
  const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js'));
  const sizes = await Promise.all(
    scripts.map(async (name) => gzipSync(await readFile(join(folder, name))).length),
  );
  const size = sizes.reduce((sum, each) => sum + each, 0);
  expect(size).toBeGreaterThan(0);
  expect(size).toBeLessThan(MAX_GZIPPED_JAVASCRIPT);
});

describe.each(['express', 'fastify'] as const)('the files of the console on %s', (adapter) => {
  let database: TestDatabase;
  let app: ConsoleApp;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => app?.close());

  afterAll(async () => database?.drop());

  async function start(given: Omit<ConsoleAppOptions, 'url' | 'adapter'> = {}): Promise<void> {
    app = await startConsoleApp({ url: database.url, adapter, ...given });
  }

  async function get(path: string): Promise<Response> {
    return fetch(`${app.origin}${path}`, { redirect: 'manual' });
  }

  async function pageAt(path: string): Promise<{ readonly api: string; readonly assets: readonly string[] }> {
    const text = await (await get(path)).text();
    const at = new URL(path, app.origin);
    const [, api = ''] = /name="cron-store:api" content="([^"]*)"/.exec(text) ?? [];
    return {
      api: new URL(api, at).pathname,
      assets: [...text.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, url = '']) => new URL(url, at).pathname),
    };
  }

  it('are a page that is not kept, under a policy that lets nothing else run', async () => {
    await start();
    const { status, headers } = await get('/cron');
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^text\/html; ?charset=utf-8$/i);
    expect(headers.get('cache-control')).toBe('no-cache');
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    const policy = headers.get('content-security-policy');
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toMatch(/unsafe|\*|http/);
  });

  it('are scripts, styles and an icon of their types, which are kept for ever', async () => {
    await start();
    const { assets } = await pageAt('/cron');
    const types = await Promise.all(
      assets.map(async (path) => {
        const { status, headers } = await get(path);
        expect(status).toBe(200);
        expect(headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
        return headers.get('content-type')?.replace(/; ?charset.*/i, '');
      }),
    );
    expect(new Set(types)).toEqual(new Set(['image/svg+xml', 'text/css', 'text/javascript']));
  });

  it.each(['/cron/assets/nothing.js', '/cron/assets/..%2findex.html', '/cron/elsewhere', '/cron/assets/'])(
    'are not at %s',
    async (path) => {
      await start();
      expect((await get(path)).status).toBe(404);
    },
  );

  it.each([
    [{}, '/cron', '/api'],
    [{ globalPrefix: 'v9' }, '/v9/cron', '/v9/api'],
    [{ console: { path: '/ops/cron/' } }, '/ops/cron', '/api'],
    [
      { globalPrefix: 'a/b', console: { path: 'ops/cron' }, management: { path: '' } },
      '/a/b/ops/cron',
      '/a/b',
    ],
  ] satisfies [Omit<ConsoleAppOptions, 'url' | 'adapter'>, string, string][])(
    'with %j are at %s, for the API at %s',
    async (given, path, api) => {
      await start({
        ...given,
        configure: (host: INestApplication) =>
          host.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' }),
      });
      const page = await pageAt(path);
      expect(page.api.replace(/\/$/, '')).toBe(api);
      for (const asset of page.assets) {
        expect((await get(asset)).status).toBe(200);
      }
      const call = await fetch(`${app.origin}${api}/sys/cron/access/get`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{}',
      });
      expect(call.status).toBe(401);
    },
  );

  it('are found again from the path with a final slash, where the adapter takes it for the same', async () => {
    await start();
    const { status, headers } = await get('/cron/');
    expect([status, headers.get('location')]).toEqual(adapter === 'express' ? [302, '../cron'] : [404, null]);
  });

  it('are no part of the OpenAPI document', async () => {
    await start();
    const { paths } = SwaggerModule.createDocument(app.app, new DocumentBuilder().build());
    expect(Object.keys(paths).filter((path) => path.startsWith('/cron'))).toEqual([]);
  });

  it('are not there where the store is off', async () => {
    await start({ isEnabled: false });
    expect((await get('/cron')).status).toBe(404);
    expect((await get('/cron/')).status).toBe(404);
  });

  it('say where to sign in, in a page that it cannot break out of', async () => {
    await start({ console: { signInUrl: '/login?next="><script>' } });
    const text = await (await get('/cron')).text();
    expect(text).toContain('content="/login?next=&#34;&#62;&#60;script&#62;"');
  });

  it('are behind the global guards of the application, but for a decorator that they look for', async () => {
    const publicRoute = Symbol('public');
    class Closed implements CanActivate {
      canActivate(context: Parameters<CanActivate['canActivate']>[0]): boolean {
        return Reflect.getMetadata(publicRoute, context.getClass()) === true;
      }
    }
    const providers = [{ provide: APP_GUARD, useClass: Closed }];
    await start({ providers });
    expect((await get('/cron')).status).toBe(403);
    await app.close();
    await start({ providers, console: { decorators: [SetMetadata(publicRoute, true)] } });
    expect((await get('/cron')).status).toBe(200);
  });
});
