import 'reflect-metadata';
import { Module } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { Test } from '@nestjs/testing';
import {
  ExtensionsExplorer,
  JOB_REGISTRY,
  JobHandlerExplorer,
  JobHandlerRegistry,
} from '../../../lib/jobs/index.js';
import { STORE_NAME } from '../../../lib/store-name.js';
import { Stores } from '../../../lib/stores.js';

/** A module of the package as a second copy of that in a workspace has it: other classes, the same texts. */
async function secondCopyOf(path: string): Promise<Readonly<Record<string, unknown>>> {
  return (await import(`../../../lib/${path}.ts?second`)) as Readonly<Record<string, unknown>>;
}

@Module({
  imports: [DiscoveryModule],
  providers: [
    JobHandlerExplorer,
    ExtensionsExplorer,
    JobHandlerRegistry,
    { provide: JOB_REGISTRY, useExisting: JobHandlerRegistry },
    Stores,
    { provide: STORE_NAME, useValue: 'default' },
  ],
})
class JobsModule {}

describe('a second copy of the package in one process', () => {
  it('decorates handlers that the first finds', async () => {
    const { decorateClass } = await secondCopyOf('jobs/job-handler.metadata');
    class Foreign {
      execute(): void {}
    }
    (decorateClass as (options: object, target: object) => void)({ name: 'foreign' }, Foreign);
    const app = await Test.createTestingModule({ imports: [JobsModule], providers: [Foreign] }).compile();
    await app.init();

    expect(app.get(JobHandlerRegistry).names()).toEqual(['foreign']);
    await app.close();
  });

  it.each(['as what it is', 'under its token'])('has interceptors that the first finds, %s', async (how) => {
    const { brand, RUN_INTERCEPTOR: mark } = await secondCopyOf('jobs/extension-brand');
    class Foreign {}
    (brand as (target: object, mark: unknown) => void)(Foreign, mark);
    class Tracing extends Foreign {
      async intercept(_execution: unknown, next: () => Promise<unknown>): Promise<unknown> {
        return next();
      }
    }
    const provider = how === 'under its token' ? { provide: Foreign, useValue: [new Tracing()] } : Tracing;
    const app = await Test.createTestingModule({ imports: [JobsModule], providers: [provider] }).compile();

    expect(app.get(ExtensionsExplorer).runInterceptors()).toEqual([expect.any(Tracing)]);
  });

  it('has stores that the first knows of, so that none is there twice', async () => {
    const { STORE_NAME: token } = await secondCopyOf('store-name');
    @Module({ providers: [{ provide: token as symbol, useValue: 'default' }] })
    class ForeignStore {}

    await expect(Test.createTestingModule({ imports: [JobsModule, ForeignStore] }).compile()).rejects.toThrow(
      'CronStoreModule is imported twice without a name',
    );
  });
});
