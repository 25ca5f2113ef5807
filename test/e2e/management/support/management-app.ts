import {
  type CanActivate,
  type ExecutionContext,
  type INestApplication,
  type ModuleMetadata,
  VersioningType,
} from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import {
  CronStoreModule,
  type CronStoreOptions,
  type Execution,
  JobHandlerRegistry,
  type ManagementOptions,
  ScheduleManager,
} from '../../../../lib/index.js';
import { options as dataSourceOptions } from '../../../support/database.js';
import { QUICK } from '../../../support/store-app.js';

/** A user as the application's authentication would find it. */
export interface User {
  readonly id?: string;
  readonly name?: string;
  readonly permissions?: unknown;
}

/** Everything there is to be permitted. */
export const ALL_PERMISSIONS = [
  'cron.schedule.query',
  'cron.schedule.manage',
  'cron.run.query',
  'cron.run.manage',
  'cron.audit.query',
];

export const ADMIN: User = { id: 'u-1', name: 'Ada', permissions: ALL_PERMISSIONS };

/** Stands for the application's authentication: believes the header `x-user`. */
export class HeaderAuthentication implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context
      .switchToHttp()
      .getRequest<{ headers: Record<string, string | undefined>; user?: unknown }>();
    const user = request.headers['x-user'];
    if (user !== undefined) {
      request.user = JSON.parse(decodeURIComponent(user));
    }
    return true;
  }
}

export type Adapter = 'express' | 'fastify';

export interface ManagementAppOptions {
  readonly url: string;
  readonly adapter: Adapter;
  readonly management?: ManagementOptions | false;
  readonly store?: CronStoreOptions;
  readonly imports?: ModuleMetadata['imports'];
  readonly providers?: ModuleMetadata['providers'];
  /** Job names to register. Default: `report` and `cleanup`. */
  readonly jobs?: readonly string[];
  readonly globalPrefix?: string;
  readonly versioning?: boolean;
  /** Whether the options of the store come from a factory. */
  readonly isAsync?: boolean;
  /** What the application itself sets up before it listens. */
  readonly configure?: (app: INestApplication) => void;
}

/** An answer of the API. */
export interface Answer {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly data: unknown;
  readonly text: string;
  readonly headers: Headers;
}

export interface CallOptions {
  readonly user?: User | undefined;
  readonly meta?: unknown;
  readonly headers?: Record<string, string>;
}

/** The rate of a schedule that does not come to fire in a test. */
export const YEARLY = { kind: 'cron', expr: '0 0 1 1 *' } as const;

/** A running application with the management API, and a client of it. */
export class ManagementApp {
  private constructor(
    readonly app: INestApplication,
    readonly baseUrl: string,
    readonly apiPath: string,
    readonly executions: readonly Execution[],
  ) {}

  static async start(given: ManagementAppOptions): Promise<ManagementApp> {
    const { management = { guards: [HeaderAuthentication] } } = given;
    const builder = Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot(dataSourceOptions(given.url)),
        EventEmitterModule.forRoot(),
        given.isAsync
          ? CronStoreModule.forRootAsync({
              management,
              useFactory: () => Promise.resolve({ ...QUICK, ...given.store }),
            })
          : CronStoreModule.forRoot({ ...QUICK, ...given.store, management }),
        ...(given.imports ?? []),
      ],
      providers: given.providers ?? [],
    });
    const module = await builder.compile();
    const app: INestApplication =
      given.adapter === 'express'
        ? module.createNestApplication(new ExpressAdapter())
        : module.createNestApplication(new FastifyAdapter());
    app.useLogger(false);
    if (given.globalPrefix !== undefined) {
      app.setGlobalPrefix(given.globalPrefix);
    }
    if (given.versioning) {
      app.enableVersioning({ type: VersioningType.URI, defaultVersion: '1' });
    }
    given.configure?.(app);
    const executions: Execution[] = [];
    for (const name of given.jobs ?? ['report', 'cleanup']) {
      module.get(JobHandlerRegistry).register({ name, execute: (execution) => executions.push(execution) });
    }
    module.get(JobHandlerRegistry).register({
      name: 'failing',
      execute: () => {
        throw new Error('x'.repeat(1_000));
      },
    });
    await app.listen(0, '127.0.0.1');
    const prefix = given.globalPrefix === undefined ? '' : `/${given.globalPrefix}`;
    const path = (management === false ? undefined : management.path) ?? 'api';
    const apiPath = path === '' ? prefix : `${prefix}/${path}`;
    return new ManagementApp(app, await app.getUrl(), apiPath, executions);
  }

  get manager(): ScheduleManager {
    return this.app.get(ScheduleManager);
  }

  /** Calls an action at its own route, as the administrator unless said otherwise. */
  async call(operation: string, params?: unknown, options: CallOptions = {}): Promise<Answer> {
    const { meta } = options;
    return this.post(`/sys/cron/${operation}`, { params, meta }, options);
  }

  /** Calls an action through the envelope. */
  async envelope(operation: string, params?: unknown, options: CallOptions = {}): Promise<Answer> {
    const [resource, action] = operation.split('/');
    return this.post('', { resource: `sys/cron/${resource}`, action, params, meta: options.meta }, options);
  }

  /** Posts JSON, or a text as it is, to a path of the API. */
  async post(path: string, body: unknown, options: CallOptions = {}): Promise<Answer> {
    const user = 'user' in options ? options.user : ADMIN;
    const response = await fetch(`${this.baseUrl}${this.apiPath}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(user === undefined ? {} : { 'x-user': encodeURIComponent(JSON.stringify(user)) }),
        ...options.headers,
      },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
    const text = await response.text();
    return { status: response.status, text, headers: response.headers, ...parsed(text) };
  }

  async close(): Promise<void> {
    await this.app.close();
  }
}

function parsed(text: string): Pick<Answer, 'code' | 'message' | 'data'> {
  try {
    return JSON.parse(text) as Pick<Answer, 'code' | 'message' | 'data'>;
  } catch {
    return { code: Number.NaN, message: text, data: undefined };
  }
}
