import {
  type ArgumentsHost,
  type CallHandler,
  type CanActivate,
  Catch,
  type ExceptionFilter,
  type ExecutionContext,
  ForbiddenException,
  HttpException,
  Injectable,
  Module,
  type NestInterceptor,
  type PipeTransform,
  UnauthorizedException,
  ValidationPipe,
} from '@nestjs/common';
import { APP_GUARD, HttpAdapterHost } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { map, type Observable } from 'rxjs';
import {
  type Actor,
  ActorResolver,
  CronStoreModule,
  type HttpRequest,
  JobHandler,
  PermissionChecker,
  type PermissionQuery,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { ADMIN, HeaderAuthentication, ManagementApp, YEARLY } from './support/management-app.js';

const definition = { jobName: 'report', trigger: YEARLY };

describe.each(['express', 'fastify'] as const)('the application around the API on %s', (adapter) => {
  let database: TestDatabase;
  let app: ManagementApp;

  async function start(given: Omit<Parameters<typeof ManagementApp.start>[0], 'url' | 'adapter'> = {}) {
    app = await ManagementApp.start({ url: database.url, adapter, ...given });
  }

  async function lastRecord(): Promise<unknown> {
    const [record] = await database.query('select * from crn_audit order by id desc limit 1');
    return record;
  }

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => {
    await app.close();
    await database.empty('crn_schedule', 'crn_audit');
  });

  afterAll(async () => {
    await database?.drop();
  });

  it('cannot strip or convert input by its pipes', async () => {
    const seen: unknown[] = [];
    class UpperCase implements PipeTransform {
      transform(value: unknown) {
        seen.push(value);
        return {};
      }
    }
    await start({
      configure: (host) =>
        host.useGlobalPipes(
          new UpperCase(),
          new ValidationPipe({ whitelist: true, transform: true, forbidNonWhitelisted: true }),
        ),
    });
    const created = await app.call('schedule/create', { name: 'a', ...definition, params: { deep: [1] } });
    expect(created).toMatchObject({ code: 0, data: { params: { deep: [1] } } });
    expect(await app.call('schedule/get', { name: 5 })).toMatchObject({ code: 1400 });
    expect(seen).toEqual([]);
  });

  it('cannot change the answers to errors by its filters', async () => {
    @Catch()
    class Teapot implements ExceptionFilter {
      catch(_: unknown, host: ArgumentsHost) {
        const { httpAdapter } = app.app.get(HttpAdapterHost);
        httpAdapter.reply(host.switchToHttp().getResponse(), 'teapot', 418);
      }
    }
    await start({ configure: (host) => host.useGlobalFilters(new Teapot()) });
    expect(await app.call('schedule/get', { name: 'nope' })).toMatchObject({ status: 200, code: 2700 });
    expect(await app.call('schedule/get', {}, { user: undefined })).toMatchObject({
      status: 401,
      code: 1000,
    });
  });

  it('wraps the answers of successes by its interceptors, which it was asked for', async () => {
    class Wrapping implements NestInterceptor {
      intercept(_: ExecutionContext, next: CallHandler): Observable<unknown> {
        return next.handle().pipe(map((answer) => ({ wrapped: answer })));
      }
    }
    await start({ configure: (host) => host.useGlobalInterceptors(new Wrapping()) });
    const answer = await app.call('schedule/list_jobs');
    expect(JSON.parse(answer.text)).toMatchObject({ wrapped: { code: 0 } });
  });

  it.each([
    ['its own 401', new UnauthorizedException('jwt expired'), 401, 1000, 'denied'],
    ['its own 403', new ForbiddenException('not on sundays'), 403, 1100, 'denied'],
  ])('has %s audited and answered alike', async (_, error, status, code, outcome) => {
    class Refusing implements CanActivate {
      canActivate(context: ExecutionContext): boolean {
        new HeaderAuthentication().canActivate(context);
        throw error;
      }
    }
    await start({ providers: [{ provide: APP_GUARD, useClass: Refusing }] });
    const answer = await app.call('schedule/delete', { name: 'a' });
    expect(answer).toMatchObject({ status, code, data: null });
    expect(await lastRecord()).toMatchObject({
      outcome,
      code,
      action: 'delete',
      target: 'a',
      actor_id: 'u-1',
    });
    expect(await app.envelope('schedule/pause', { name: 'b' })).toMatchObject({ status, code });
    expect(await lastRecord()).toMatchObject({
      outcome,
      code,
      action: 'pause',
      target: 'b',
      actor_id: 'u-1',
    });
  });

  it('passes on what else a guard of its own answers, such as 429', async () => {
    class Throttler implements CanActivate {
      canActivate(): boolean {
        throw new HttpException('Slow down.', 429);
      }
    }
    await start({ management: { guards: [Throttler] } });
    expect(await app.call('schedule/list_jobs')).toMatchObject({
      status: 429,
      code: 1400,
      message: 'Slow down.',
      data: null,
    });
  });

  it('does not tell what went wrong inside', async () => {
    class Broken implements CanActivate {
      canActivate(): boolean {
        throw new Error('select password from users');
      }
    }
    await start({ management: { guards: [Broken] } });
    const answer = await app.call('schedule/list_jobs');
    expect(answer).toMatchObject({ status: 500, code: 1900, data: null });
    expect(answer.text).not.toContain('password');
  });

  it('does not tell what the database says', async () => {
    await start();
    await database.query('alter table crn_schedule rename to crn_hidden');
    try {
      const answer = await app.call('schedule/find_page');
      expect(answer).toMatchObject({ status: 500, code: 1900, data: null });
      expect(answer.text).not.toContain('crn_');
    } finally {
      await database.query('alter table crn_hidden rename to crn_schedule');
    }
  });

  it('mounts nothing with `management: false`', async () => {
    await start({ management: false });
    const answer = await app.post('/sys/cron/schedule/list_jobs', {});
    expect(answer.status).toBe(404);
    expect(answer.code).toBeUndefined();
  });

  it.each(['', 'admin/cron', '/admin/'])('is mounted at the path "%s"', async (path) => {
    await start({ globalPrefix: 'api', management: { guards: [HeaderAuthentication], path } });
    const base = ['/api', path.replaceAll(/^\/|\/$/g, '')].filter((part) => part !== '').join('/');
    const response = await fetch(`${app.baseUrl}${base}/sys/cron/schedule/list_jobs`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-user': encodeURIComponent(JSON.stringify(ADMIN)) },
      body: '{}',
    });
    expect(await response.json()).toMatchObject({ code: 0 });
  });

  it('answers pages of trusted origins', async () => {
    const origin = 'https://admin.example.com';
    await start({ management: { guards: [HeaderAuthentication], trustedOrigins: [origin] } });
    const headers = { 'sec-fetch-site': 'cross-site', origin };
    expect(await app.call('schedule/list_jobs', {}, { headers })).toMatchObject({ code: 0 });
    const other = { ...headers, origin: 'https://admin.example.com.evil.example' };
    expect(await app.call('schedule/list_jobs', {}, { headers: other })).toMatchObject({ code: 1100 });
  });

  it('asks the checker of the application, with everything it may want to know', async () => {
    const asked: PermissionQuery[] = [];
    @Injectable()
    class Recording extends PermissionChecker {
      override isPermitted(query: PermissionQuery) {
        asked.push(query);
        return true;
      }
    }
    @Injectable()
    class Robot extends ActorResolver {
      override resolve(request: HttpRequest): Actor | undefined {
        return request.headers['x-robot'] === undefined ? undefined : { id: 'robot' };
      }
    }
    await start({ management: { permissionChecker: Recording, actorResolver: Robot } });
    const robot = { headers: { 'x-robot': 'yes' } };
    await app.manager.create({ name: 'a', ...definition });
    expect(await app.call('schedule/list_jobs')).toMatchObject({ status: 401 });
    await app.call('schedule/list_jobs', {}, robot);
    await app.call('schedule/update', { name: 'a', newName: 'b', ...definition, jobName: 'cleanup' }, robot);
    await app.envelope('schedule/trigger_now', { name: 'b' }, robot);
    await app.call('schedule/delete', { name: 'missing' }, robot);
    await app.call('schedule/create', { name: 'c', ...definition }, robot);
    await app.call('schedule/delete', { name: 7 }, robot);
    expect(
      asked.map(({ actor, permission, action, target }) => ({ actor, permission, action, target })),
    ).toEqual([
      asking('query', 'list_jobs'),
      asking('manage', 'update', { scheduleNames: ['a', 'b'], jobNames: ['report', 'cleanup'] }),
      asking('manage', 'trigger_now', { scheduleNames: ['b'], jobNames: ['cleanup'] }),
      asking('manage', 'delete'),
      asking('manage', 'create', { scheduleNames: ['c'], jobNames: ['report'] }),
      asking('manage', 'delete'),
    ]);
    expect((await app.manager.get('b')).schedule.updatedBy).toBe('robot');
  });

  it.each([
    [
      'throws',
      () => {
        throw new Error('the policy server is down');
      },
    ],
    ['rejects', () => Promise.reject(new Error('the policy server is down'))],
  ])('denies when the checker %s', async (_, isPermitted) => {
    class Failing extends PermissionChecker {
      override isPermitted = isPermitted;
    }
    await start({ management: { guards: [HeaderAuthentication], permissionChecker: Failing } });
    const answer = await app.call('schedule/delete', { name: 'a' });
    expect(answer).toMatchObject({ status: 500, code: 1900, data: null });
    expect(answer.text).not.toContain('policy');
    expect(await lastRecord()).toMatchObject({ outcome: 'denied', code: 1900, action: 'delete' });
  });

  it.each([
    ['a truthy text', 'yes'],
    ['1', 1],
    ['nothing', undefined],
  ])('denies when the checker answers with %s', async (_, answer) => {
    class Sloppy extends PermissionChecker {
      override isPermitted(): boolean {
        return answer as unknown as boolean;
      }
    }
    await start({ management: { guards: [HeaderAuthentication], permissionChecker: Sloppy } });
    expect(await app.call('schedule/list_jobs')).toMatchObject({ status: 403, code: 1100 });
  });

  it.each([
    ['an empty id', ''],
    ['a long id', 'x'.repeat(201)],
    ['an id with a line break', 'a\nb'],
  ])('lets nobody in with %s', async (_, id) => {
    class Odd extends ActorResolver {
      override resolve(): Actor {
        return { id };
      }
    }
    await start({ management: { guards: [HeaderAuthentication], actorResolver: Odd } });
    expect(await app.call('schedule/list_jobs')).toMatchObject({ status: 500, code: 1900 });
  });

  it('bounds params at 1 MiB, where the body parser lets that much through', async () => {
    const limit = 3 * 1024 * 1024;
    await start({
      configure: (host) => {
        if (adapter === 'express') {
          (host as NestExpressApplication).useBodyParser('json', { limit });
        } else {
          // NestJS 11 parses nothing by itself here.
          (host as NestFastifyApplication).useBodyParser(
            'application/json',
            { bodyLimit: limit },
            (_request, body, done) => done(null, JSON.parse(String(body))),
          );
        }
      },
    });
    // Two bytes are its quotation marks.
    const params = 'x'.repeat(1024 * 1024 - 2);
    const fitting = await app.call('schedule/create', { name: 'a', ...definition, params });
    expect(fitting).toMatchObject({ status: 200, code: 0 });
    const larger = await app.call('schedule/create', { name: 'b', ...definition, params: `${params}x` });
    expect(larger).toMatchObject({
      status: 200,
      code: 2706,
      message: expect.stringContaining('at most 1048576 are stored'),
    });
  });
});

describe('the store behind the API', () => {
  let database: TestDatabase;
  let app: ManagementApp | undefined;

  beforeAll(async () => {
    database = await createTestDatabase();
  });

  afterEach(async () => app?.close());

  afterAll(async () => database?.drop());

  it.each([false, true])(
    'exposes nothing where it is off, to nobody (from a factory: %p)',
    async (isAsync) => {
      app = await ManagementApp.start({
        url: database.url,
        adapter: 'express',
        store: { enabled: false },
        isAsync,
      });
      for (const options of [{}, { user: undefined }]) {
        for (const answer of [
          await app.call('schedule/list_jobs', {}, options),
          await app.call('schedule/pause', { name: 'a' }, options),
          await app.envelope('schedule/list_jobs', {}, options),
          await app.call('schedule/nothing', {}, options),
        ]) {
          expect(answer).toMatchObject({ status: 404, code: 1200, data: null });
        }
      }
    },
  );

  it('is managed at its path also where its options come from a factory', async () => {
    const management = { path: 'late', guards: [HeaderAuthentication] };
    app = await ManagementApp.start({ url: database.url, adapter: 'express', management, isAsync: true });
    expect(await app.call('schedule/list_jobs')).toMatchObject({ code: 0 });
  });

  it('shares nothing with a second one', async () => {
    @Module({
      imports: [
        CronStoreModule.forRoot({
          name: 'second',
          schema: 'second',
          autoMigrate: true,
          isGlobal: false,
          management: { path: 'second', guards: [HeaderAuthentication] },
        }),
      ],
    })
    class SecondStore {}
    @JobHandler('shared')
    class Shared implements JobHandler {
      execute(): void {}
    }
    app = await ManagementApp.start({
      url: database.url,
      adapter: 'express',
      imports: [SecondStore],
      providers: [Shared],
    });
    const created = await app.call('schedule/create', { name: 'a', ...definition, jobName: 'shared' });
    expect(created).toMatchObject({ code: 0 });
    const find = { resource: 'sys/cron/schedule', action: 'find_page' };
    expect(await app.post('', find)).toMatchObject({ code: 0, data: { total: 1 } });
    expect(await app.post('/../second', find)).toMatchObject({ code: 0, data: { total: 0 } });
  });
});

function asking(permission: string, action: string, target?: object) {
  return { actor: { id: 'robot' }, permission: `cron.schedule.${permission}`, action, target };
}
