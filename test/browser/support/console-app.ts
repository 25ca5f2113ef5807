import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type Provider,
  UnauthorizedException,
} from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  type ConsoleOptions,
  CronStoreModule,
  type Execution,
  JobHandlerRegistry,
  type ManagementOptions,
  ScheduleManager,
} from '../../../lib/index.js';
import { CONSOLE_FOLDER } from '../../../lib/console/console.tokens.js';
import { options as dataSourceOptions } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';
import { buildConsole } from './console-build.js';

const QUERY = ['cron.schedule.query', 'cron.run.query'];

/** Who signs in with which token. */
const USERS: Readonly<
  Record<string, { readonly id: string; readonly name: string; readonly permissions: readonly string[] }>
> = {
  'operator-token': {
    id: 'u-1',
    name: 'Otto Operator',
    permissions: [...QUERY, 'cron.schedule.manage', 'cron.run.manage', 'cron.audit.query'],
  },
  'viewer-token': { id: 'u-2', name: 'Vera Viewer', permissions: QUERY },
  'auditor-token': { id: 'u-4', name: 'Anna Auditor', permissions: ['cron.audit.query'] },
  'stranger-token': { id: 'u-3', name: 'Stan Stranger', permissions: [] },
};

/** Tokens that have expired; tests put them here and take them away. */
export const expiredTokens = new Set<string>();

/** Stands for the application's authentication: a bearer token, or the same as a cookie. */
export class TokenGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{
      headers: { authorization?: string; cookie?: string };
      user?: unknown;
    }>();
    const { authorization = '', cookie = '' } = request.headers;
    const token = /^Bearer (.*)$/.exec(authorization)?.[1] ?? /\bsession=([\w-]+)/.exec(cookie)?.[1] ?? '';
    const user = expiredTokens.has(token) ? undefined : USERS[token];
    if (user === undefined) {
      throw new UnauthorizedException();
    }
    request.user = user;
    return true;
  }
}

export interface ConsoleAppOptions {
  readonly url: string;
  readonly adapter?: 'express' | 'fastify';
  readonly console?: boolean | ConsoleOptions;
  readonly management?: ManagementOptions;
  readonly globalPrefix?: string;
  readonly isEnabled?: boolean;
  /** The environment that the application declares, none unless given. */
  readonly environment?: string;
  readonly providers?: readonly Provider[];
  readonly configure?: (app: INestApplication) => void;
}

/** An application with the console, and three jobs: one that works, one that fails, one that goes on until it is stopped. */
export interface ConsoleApp {
  readonly app: INestApplication;
  readonly manager: ScheduleManager;
  /** Of the application, without a slash at its end. */
  readonly origin: string;
  readonly executions: readonly Execution[];
  close(): Promise<void>;
}

export async function startConsoleApp(given: ConsoleAppOptions): Promise<ConsoleApp> {
  const { management = { guards: [TokenGuard] }, adapter = 'express', isEnabled = true } = given;
  const module = await Test.createTestingModule({
    imports: [
      TypeOrmModule.forRoot(dataSourceOptions(given.url)),
      EventEmitterModule.forRoot(),
      CronStoreModule.forRoot({
        ...QUICK,
        enabled: isEnabled,
        management,
        console: given.console ?? true,
        environment: given.environment,
      }),
    ],
    providers: [...(given.providers ?? [])],
  })
    .overrideProvider(CONSOLE_FOLDER)
    .useValue(await buildConsole())
    .compile();
  const app: INestApplication =
    adapter === 'express'
      ? module.createNestApplication(new ExpressAdapter())
      : module.createNestApplication(new FastifyAdapter());
  app.useLogger(false);
  if (given.globalPrefix !== undefined) {
    app.setGlobalPrefix(given.globalPrefix);
  }
  given.configure?.(app);
  const executions: Execution[] = [];
  const registry = module.get(JobHandlerRegistry);
  registry.register({ name: 'report', execute: (execution) => executions.push(execution) });
  registry.register({
    name: 'failing',
    execute: ({ params }) => {
      throw new Error(typeof params === 'string' ? params : 'The warehouse does not answer.');
    },
  });
  registry.register({
    name: 'endless',
    execute: ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')))),
  });
  await app.listen(0, '127.0.0.1');
  return {
    app,
    manager: app.get(ScheduleManager),
    origin: await app.getUrl(),
    executions,
    close: () => app.close(),
  };
}
