import { Inject, Injectable, Scope } from '@nestjs/common';
import {
  type ContextId,
  ContextIdFactory,
  type ContextIdStrategy,
  type HostComponentInfo,
  REQUEST,
} from '@nestjs/core';
import { Execution, JobHandler } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { fire, NEVER } from '../engine/support/runs.js';

/** What was made, and for what. */
const made: string[] = [];
/** What handlers got. */
const got: unknown[] = [];

@Injectable({ scope: Scope.REQUEST })
class RunLog {
  constructor(@Inject(REQUEST) readonly execution: Execution) {
    made.push(`log of ${execution.scheduleName}`);
  }
}

@Injectable()
class Singleton {}

@Injectable()
class Reports {
  constructor(
    readonly log: RunLog,
    readonly singleton: Singleton,
  ) {}
}

@JobHandler('report')
class Report implements JobHandler {
  constructor(
    private readonly reports: Reports,
    private readonly log: RunLog,
  ) {}

  execute(execution: Execution): void {
    got.push(this.reports.log === this.log, this.log.execution === execution, this.reports.singleton);
  }
}

@Injectable({ scope: Scope.TRANSIENT })
class Draft {
  constructor() {
    made.push('draft');
  }
}

@JobHandler('draft')
@Injectable({ scope: Scope.TRANSIENT })
class DraftHandler implements JobHandler {
  constructor(readonly draft: Draft) {}

  execute(): void {
    got.push(this.draft);
  }
}

/** What all runs of a tenant share. */
interface Tenant {
  readonly tenant: string;
}

@Injectable({ scope: Scope.REQUEST, durable: true })
class TenantConnection {
  constructor(@Inject(REQUEST) readonly context: Tenant | Execution | undefined) {
    made.push(`connection for ${JSON.stringify(Object.keys(context ?? {}))}`);
  }
}

@JobHandler('of-a-tenant')
@Injectable({ scope: Scope.REQUEST })
class OfATenant implements JobHandler {
  constructor(
    private readonly connection: TenantConnection,
    @Inject(REQUEST) private readonly execution: Execution,
  ) {}

  execute(execution: Execution): void {
    got.push(this.connection, this.execution === execution);
  }
}

@JobHandler('durable')
@Injectable({ scope: Scope.REQUEST, durable: true })
class DurableHandler implements JobHandler {
  constructor(
    private readonly connection: TenantConnection,
    @Inject(REQUEST) private readonly context: Tenant | Execution,
  ) {}

  execute(): void {
    got.push(this, this.connection, this.context);
  }
}

/** Keeps what is durable for each tenant. */
class ByTenant implements ContextIdStrategy {
  private readonly kept = new Map<string, ContextId>();

  attach(contextId: ContextId, execution: unknown) {
    if (!(execution instanceof Execution)) {
      return () => contextId;
    }
    const payload = execution.params as Tenant;
    const kept = this.kept.get(payload.tenant) ?? ContextIdFactory.create();
    this.kept.set(payload.tenant, kept);
    return {
      resolve: ({ isTreeDurable }: HostComponentInfo) => (isTreeDurable ? kept : contextId),
      payload,
    };
  }
}

describe('scopes of handlers and of what they inject', () => {
  let database: TestDatabase;
  let node: StoreApp;

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      providers: [
        RunLog,
        Singleton,
        Reports,
        Report,
        Draft,
        DraftHandler,
        TenantConnection,
        OfATenant,
        DurableHandler,
      ],
    });
  });

  beforeEach(() => {
    made.length = 0;
    got.length = 0;
  });

  afterEach(() => {
    Reflect.apply(ContextIdFactory.apply, ContextIdFactory, [undefined]);
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  async function run(name: string, jobName: string, params?: Tenant): Promise<void> {
    const existing = (await node.manager.list()).some((schedule) => schedule.name === name);
    if (!existing) {
      await node.manager.create({ name, jobName, trigger: NEVER, params: params && { ...params } });
    }
    expect(await fire(node, name)).toMatchObject({ status: 'succeeded' });
  }

  it('give a run its own request-scoped providers, the same ones at every depth, and the execution as REQUEST', async () => {
    await run('one', 'report');
    await run('two', 'report');

    expect(made).toEqual(['log of one', 'log of two']);
    expect(got).toEqual([true, true, expect.any(Singleton), true, true, expect.any(Singleton)]);
    expect(got[2]).toBe(got[5]);
  });

  it('give a run its own transient handler, with transient providers of its own', async () => {
    await run('first draft', 'draft');
    await run('second draft', 'draft');

    expect(made).toEqual(['draft', 'draft']);
    expect(got[0]).not.toBe(got[1]);
  });

  it('make durable providers once for each key of the strategy, with its payload as REQUEST', async () => {
    ContextIdFactory.apply(new ByTenant());
    await run('a1', 'of-a-tenant', { tenant: 'a' });
    await run('a2', 'of-a-tenant', { tenant: 'a' });
    await run('b', 'of-a-tenant', { tenant: 'b' });

    expect(made).toEqual(['connection for ["tenant"]', 'connection for ["tenant"]']);
    const [first, firstIsFresh, second, secondIsFresh, third] = got;
    expect([firstIsFresh, secondIsFresh]).toEqual([true, true]);
    expect(first).toBe(second);
    expect(third).not.toBe(first);
    expect(first).toMatchObject({ context: { tenant: 'a' } });
    expect(third).toMatchObject({ context: { tenant: 'b' } });
  });

  it('keep a durable handler for each key, which is told the payload and not one of its runs', async () => {
    ContextIdFactory.apply(new ByTenant());
    await run('d1', 'durable', { tenant: 'a' });
    await run('d2', 'durable', { tenant: 'a' });
    await run('d3', 'durable', { tenant: 'b' });

    const [handlers, contexts] = [0, 2].map((offset) => got.filter((_, index) => index % 3 === offset));
    expect(handlers?.[0]).toBe(handlers?.[1]);
    expect(handlers?.[2]).not.toBe(handlers?.[0]);
    expect(contexts).toEqual([{ tenant: 'a' }, { tenant: 'a' }, { tenant: 'b' }]);
  });

  it('tell what is kept nothing where the strategy has no payload: of one run it would be', async () => {
    const kept = ContextIdFactory.create();
    ContextIdFactory.apply({
      attach: (contextId) => (info) => (info.isTreeDurable ? kept : contextId),
    });
    await run('kept', 'durable', { tenant: 'a' });
    await run('kept again', 'durable', { tenant: 'a' });

    expect(got[0]).toBe(got[3]);
    expect([got[2], got[5]]).toEqual([undefined, undefined]);
  });

  it('without a strategy make durable providers for each run, and tell them the execution', async () => {
    await run('alone', 'durable', { tenant: 'a' });
    await run('alone again', 'durable', { tenant: 'a' });

    expect(got[0]).not.toBe(got[3]);
    expect([got[2], got[5]]).toMatchObject([{ scheduleName: 'alone' }, { scheduleName: 'alone again' }]);
  });
});
