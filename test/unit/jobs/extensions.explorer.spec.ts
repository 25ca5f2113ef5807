import 'reflect-metadata';
import { Inject, Injectable, Module, Scope, type ModuleMetadata } from '@nestjs/common';
import { DiscoveryModule, REQUEST } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  ClaimObserver,
  ExtensionInvalidError,
  ExtensionsExplorer,
  RunInterceptor,
} from '../../../lib/jobs/index.js';
import { STORE_NAME } from '../../../lib/store-name.js';
import { Stores } from '../../../lib/stores.js';

@Injectable()
class Tracing extends RunInterceptor {
  override async intercept(_execution: unknown, next: () => Promise<unknown>): Promise<unknown> {
    return next();
  }
}

@Injectable()
class Tenants extends Tracing {
  override readonly order = -1;
}

@Injectable()
class Metrics extends ClaimObserver {
  override afterClaim(): void {}
}

async function explore(metadata: ModuleMetadata): Promise<ExtensionsExplorer> {
  const app = await Test.createTestingModule({
    ...metadata,
    imports: [DiscoveryModule, ...(metadata.imports ?? [])],
    providers: [
      ExtensionsExplorer,
      Stores,
      { provide: STORE_NAME, useValue: 'default' },
      ...(metadata.providers ?? []),
    ],
  }).compile();
  return app.get(ExtensionsExplorer);
}

async function interceptorNames(metadata: ModuleMetadata): Promise<readonly string[]> {
  const explorer = await explore(metadata);
  return explorer.runInterceptors().map((interceptor) => interceptor.constructor.name);
}

describe('ExtensionsExplorer', () => {
  it('finds none where there are none', async () => {
    const explorer = await explore({});
    expect(explorer.runInterceptors()).toEqual([]);
    expect(explorer.claimObservers()).toEqual([]);
  });

  it('finds providers of any module by what they are', async () => {
    @Module({ providers: [Tracing, Metrics] })
    class Observability {}
    const explorer = await explore({ imports: [Observability] });
    expect(explorer.runInterceptors()).toEqual([expect.any(Tracing)]);
    expect(explorer.claimObservers()).toEqual([expect.any(Metrics)]);
  });

  it('finds what is provided under the class, by class, value and factory', async () => {
    await expect(
      interceptorNames({ providers: [{ provide: RunInterceptor, useClass: Tracing }] }),
    ).resolves.toEqual(['Tracing']);
    await expect(
      interceptorNames({ providers: [{ provide: RunInterceptor, useValue: new Tracing() }] }),
    ).resolves.toEqual(['Tracing']);
    await expect(
      interceptorNames({
        providers: [
          {
            provide: RunInterceptor,
            useFactory: () => Promise.resolve([new Tracing(), new Tenants(), new Tracing()]),
          },
        ],
      }),
    ).resolves.toEqual(['Tenants', 'Tracing', 'Tracing']);
    await expect(
      interceptorNames({ providers: [{ provide: RunInterceptor, useValue: [] }] }),
    ).resolves.toEqual([]);
  });

  it('takes under the class what implements it without extending it', async () => {
    class Plain implements Omit<RunInterceptor, 'order'> {
      intercept(_execution: unknown, next: () => Promise<unknown>): Promise<unknown> {
        return next();
      }
    }
    await expect(
      interceptorNames({ providers: [{ provide: RunInterceptor, useClass: Plain }, Tenants] }),
    ).resolves.toEqual(['Tenants', 'Plain']);
  });

  it('orders by `order`, then as they were found', async () => {
    class First extends Tracing {}
    class Second extends Tracing {}
    class Last extends Tracing {
      override readonly order = 10;
    }
    await expect(interceptorNames({ providers: [Last, First, Second, Tenants] })).resolves.toEqual([
      'Tenants',
      'First',
      'Second',
      'Last',
    ]);
  });

  it('counts one that several providers hand out once', async () => {
    const shared = new Tracing();
    await expect(
      interceptorNames({
        providers: [
          { provide: Tracing, useValue: shared },
          { provide: RunInterceptor, useExisting: Tracing },
          { provide: 'tracing', useFactory: () => shared },
        ],
      }),
    ).resolves.toEqual(['Tracing']);
  });

  it('refuses what has not the methods, whoever provides it', async () => {
    @Module({ providers: [{ provide: RunInterceptor, useValue: [new Tracing(), {}] }] })
    class Careless {}
    const explorer = await explore({ imports: [Careless] });
    expect(() => explorer.runInterceptors()).toThrow(
      new ExtensionInvalidError(
        'What Careless provides as RunInterceptor has no method intercept: provide an instance of a class that extends RunInterceptor, or an array of such.',
      ),
    );
  });

  it.each([undefined, null, 'tracing', () => undefined])('refuses %p', async (value) => {
    const explorer = await explore({ providers: [{ provide: ClaimObserver, useFactory: () => value }] });
    expect(() => explorer.claimObservers()).toThrow(/has no method beforeClaim or afterClaim/);
  });

  it('refuses one that is made anew for each request or injection', async () => {
    @Injectable({ scope: Scope.REQUEST })
    class PerRequest extends Tracing {}
    @Injectable({ scope: Scope.TRANSIENT })
    class PerInjection extends Tracing {}
    @Injectable()
    class Infected extends Tracing {
      constructor(@Inject(REQUEST) readonly request: unknown) {
        super();
      }
    }
    for (const provider of [PerRequest, PerInjection, Infected]) {
      const explorer = await explore({ providers: [provider] });
      expect(() => explorer.runInterceptors()).toThrow(
        `The RunInterceptor ${provider.name} is request-scoped or transient, itself or by what it injects: it serves every run, make it a singleton.`,
      );
    }
  });

  it.each([Number.NaN, Infinity, '1'])('refuses the order %p', async (order) => {
    const odd = Object.assign(new Tracing(), { order });
    const explorer = await explore({ providers: [{ provide: Tracing, useValue: odd }] });
    expect(() => explorer.runInterceptors()).toThrow(
      `The order of the RunInterceptor Tracing must be a finite number, but is ${order}.`,
    );
  });
});
