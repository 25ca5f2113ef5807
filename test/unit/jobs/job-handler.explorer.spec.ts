import { setTimeout as delay } from 'node:timers/promises';
import {
  Controller,
  Inject,
  Injectable,
  Module,
  Scope,
  type ModuleMetadata,
  type Provider,
} from '@nestjs/common';
import { DiscoveryModule, REQUEST } from '@nestjs/core';
import { Test, type TestingModule } from '@nestjs/testing';
import { jest } from '@jest/globals';
import { IsInt } from 'class-validator';
import {
  Execution,
  JOB_REGISTRY,
  JobHandler,
  JobHandlerExplorer,
  JobHandlerInvalidError,
  JobHandlerRegistry,
} from '../../../lib/jobs/index.js';
import { STORE_NAME } from '../../../lib/store-name.js';
import { Stores } from '../../../lib/stores.js';
import { every } from '../../../lib/triggers/index.js';
import type { DefaultSchedule } from '../../../lib/schedules/index.js';
import { executionFacts } from './execution-facts.js';
import { plainJob } from './plain-job.js';

@Module({
  imports: [DiscoveryModule],
  providers: [
    JobHandlerExplorer,
    JobHandlerRegistry,
    { provide: JOB_REGISTRY, useExisting: JobHandlerRegistry },
    Stores,
    { provide: STORE_NAME, useValue: 'default' },
  ],
  exports: [JobHandlerRegistry],
})
class JobsModule {}

const apps: TestingModule[] = [];

afterEach(async () => {
  await Promise.all(apps.splice(0).map((app) => app.close()));
});

/** Starts an application, as far as `onModuleInit`. */
async function start(metadata: ModuleMetadata): Promise<JobHandlerRegistry> {
  const app = await Test.createTestingModule({
    ...metadata,
    imports: [JobsModule, ...(metadata.imports ?? [])],
  }).compile();
  apps.push(app);
  await app.init();
  return app.get(JobHandlerRegistry);
}

/** A module of that name. */
function moduleNamed(name: string, metadata: ModuleMetadata): new () => object {
  const named = { [name]: class {} }[name];
  if (named === undefined) {
    throw new Error('unreachable');
  }
  Module(metadata)(named);
  return named;
}

@Injectable()
class Mailer {
  readonly sent: unknown[] = [];
}

@JobHandler('report')
class ReportService implements JobHandler {
  constructor(private readonly mailer: Mailer) {}

  execute({ params }: Execution): number {
    return this.mailer.sent.push(params);
  }
}

describe('JobHandlerExplorer', () => {
  describe('finds', () => {
    it('a decorated class in any module, with what it injects', async () => {
      const reports = moduleNamed('ReportsModule', { providers: [ReportService, Mailer] });
      const registry = await start({ imports: [reports] });
      expect(registry.names()).toEqual(['report']);
      expect(plainJob(registry, 'report').place).toBe('ReportService (ReportsModule)');
      await expect(plainJob(registry, 'report').execute(executionFacts({ params: 'x' }))).resolves.toBe(1);
    });

    it('decorated methods, inherited ones included', async () => {
      class Base {
        protected readonly greeting: string = 'base';
        @JobHandler('inherited')
        inherited(): string {
          return this.greeting;
        }
        @JobHandler('overridden')
        overridden(): string {
          return 'never';
        }
      }
      @Injectable()
      class Derived extends Base {
        protected override readonly greeting = 'derived';
        @JobHandler('own')
        own(): string {
          return this.greeting;
        }
        override overridden(): string {
          return 'override';
        }
      }
      const registry = await start({ providers: [Derived] });
      expect(registry.names()).toEqual(['inherited', 'overridden', 'own']);
      await expect(plainJob(registry, 'inherited').execute(executionFacts())).resolves.toBe('derived');
      await expect(plainJob(registry, 'overridden').execute(executionFacts())).resolves.toBe('override');
      expect(plainJob(registry, 'own').place).toMatch(/^Derived\.own\(\) \(.*\)$/);
    });

    it('methods of controllers', async () => {
      @Controller()
      class ReportController {
        @JobHandler('from-controller')
        run(): string {
          return 'controller';
        }
      }
      const registry = await start({ controllers: [ReportController] });
      await expect(plainJob(registry, 'from-controller').execute(executionFacts())).resolves.toBe(
        'controller',
      );
    });

    it.each<[string, Provider[]]>([
      ['useClass', [Mailer, { provide: 'REPORTS', useClass: ReportService }]],
      ['useValue', [{ provide: 'REPORTS', useValue: new ReportService(new Mailer()) }]],
      [
        'useFactory',
        [
          Mailer,
          {
            provide: Symbol('REPORTS'),
            inject: [Mailer],
            useFactory: (mailer: Mailer) => Promise.resolve(new ReportService(mailer)),
          },
        ],
      ],
    ])('a class under a token of its own (%s)', async (_, providers) => {
      const registry = await start({ imports: [moduleNamed('ReportsModule', { providers })] });
      expect(plainJob(registry, 'report').place).toMatch(
        /^ReportService \(ReportsModule, provided as .*REPORTS/,
      );
      await expect(plainJob(registry, 'report').execute(executionFacts())).resolves.toBe(1);
    });

    it('one instance once, however many modules and tokens lead to it', async () => {
      const reports = moduleNamed('ReportsModule', {
        providers: [
          Mailer,
          ReportService,
          { provide: 'ALIAS', useExisting: ReportService },
          { provide: 'SAME', inject: [ReportService], useFactory: (service: ReportService) => service },
        ],
        exports: [ReportService],
      });
      const billing = moduleNamed('BillingModule', { imports: [reports], exports: [reports] });
      const registry = await start({ imports: [billing, reports] });
      expect(registry.names()).toEqual(['report']);
    });

    it('nothing in values that are no handlers, without touching them', async () => {
      class Touchy {
        get execute(): never {
          throw new Error('touched');
        }
      }
      const values = [
        null,
        undefined,
        0,
        'text',
        ReportService,
        Object.create(null),
        [],
        new Map(),
        new Touchy(),
      ];
      const registry = await start({
        providers: values.map((useValue, index) => ({ provide: `VALUE_${index}`, useValue })),
      });
      expect(registry.names()).toEqual([]);
    });

    it('what was decorated together with what is registered by code', async () => {
      @Injectable()
      class Registrar {
        constructor(private readonly registry: JobHandlerRegistry) {}
        onModuleInit(): void {
          this.registry.register({ name: 'by-code', execute: () => undefined });
        }
      }
      const registry = await start({ providers: [Registrar, ReportService, Mailer] });
      expect(registry.names()).toEqual(['by-code', 'report']);
    });
  });

  describe('makes an instance for each run of', () => {
    it.each([Scope.REQUEST, Scope.TRANSIENT])('a provider of scope %p', async (scope) => {
      let made = 0;
      @JobHandler('scoped')
      @Injectable({ scope })
      class Scoped implements JobHandler {
        readonly number = (made += 1);
        execute(): number {
          return this.number;
        }
        @JobHandler('scoped-method')
        run(): number {
          return this.number;
        }
      }
      const registry = await start({ providers: [Scoped] });
      expect(made).toBe(0);
      const numbers = [
        await plainJob(registry, 'scoped').execute(executionFacts()),
        await plainJob(registry, 'scoped').execute(executionFacts()),
        await plainJob(registry, 'scoped-method').execute(executionFacts()),
      ];
      expect(numbers).toEqual([1, 2, 3]);
    });

    it('a provider that depends on one, which can inject the execution', async () => {
      @Injectable({ scope: Scope.REQUEST })
      class RunContext {
        constructor(@Inject(REQUEST) readonly execution: Execution) {}
      }
      @JobHandler('contextual')
      class Contextual implements JobHandler {
        constructor(private readonly context: RunContext) {}
        async execute(): Promise<string> {
          await delay(1);
          return this.context.execution.runId;
        }
      }
      const registry = await start({ providers: [Contextual, RunContext] });
      const job = plainJob(registry, 'contextual');
      const runs = ['run-1', 'run-2', 'run-3'].map((runId) => job.execute(executionFacts({ runId })));
      await expect(Promise.all(runs)).resolves.toEqual(['run-1', 'run-2', 'run-3']);
    });

    it('a request-scoped controller', async () => {
      @Controller({ scope: Scope.REQUEST })
      class Requested {
        @JobHandler('requested')
        run({ runId }: Execution): string {
          return runId;
        }
      }
      const registry = await start({ controllers: [Requested] });
      await expect(plainJob(registry, 'requested').execute(executionFacts())).resolves.toBe('run-1');
    });

    it('the provider of its own module, where another provides something else under the same token', async () => {
      @JobHandler('first')
      @Injectable({ scope: Scope.REQUEST })
      class First implements JobHandler {
        execute(): string {
          return 'first';
        }
      }
      @JobHandler('second')
      @Injectable({ scope: Scope.REQUEST })
      class Second implements JobHandler {
        execute(): string {
          return 'second';
        }
      }
      const registry = await start({
        imports: [
          moduleNamed('FirstModule', { providers: [{ provide: 'HANDLER', useClass: First }] }),
          moduleNamed('SecondModule', { providers: [{ provide: 'HANDLER', useClass: Second }] }),
        ],
      });
      await expect(plainJob(registry, 'first').execute(executionFacts())).resolves.toBe('first');
      await expect(plainJob(registry, 'second').execute(executionFacts())).resolves.toBe('second');
    });
  });

  describe('asks for the default schedule', () => {
    @Injectable()
    class Config {
      readonly everyMs = 60_000;
    }

    it.each([Scope.DEFAULT, Scope.REQUEST])('that a class of scope %p computes', async (scope) => {
      @JobHandler('computed')
      @Injectable({ scope })
      class Computed implements JobHandler {
        constructor(private readonly config: Config) {}
        execute(): void {}
        defaultSchedule(): Promise<DefaultSchedule> {
          return Promise.resolve({ trigger: every(this.config.everyMs) });
        }
      }
      const registry = await start({ providers: [Computed, Config] });
      await expect(plainJob(registry, 'computed').defaultSchedule()).resolves.toEqual({
        trigger: every(60_000),
      });
    });

    it('that a decorator carries, of a class or a method', async () => {
      const defaultSchedule = { trigger: every(60_000) };
      @JobHandler({ name: 'class', defaultSchedule })
      class Carried implements JobHandler {
        execute(): void {}
        @JobHandler({ name: 'method', defaultSchedule })
        run(): void {}
        @JobHandler('none')
        other(): void {}
      }
      const registry = await start({ providers: [Carried] });
      await expect(plainJob(registry, 'class').defaultSchedule()).resolves.toBe(defaultSchedule);
      await expect(plainJob(registry, 'method').defaultSchedule()).resolves.toBe(defaultSchedule);
      await expect(plainJob(registry, 'none').defaultSchedule()).resolves.toBeUndefined();
    });

    it('and refuses two of them', async () => {
      @JobHandler({ name: 'twice', defaultSchedule: { trigger: every(60_000) } })
      class Twice implements JobHandler {
        execute(): void {}
        defaultSchedule(): undefined {}
      }
      await expect(start({ providers: [Twice] })).rejects.toThrow(/has two default schedules/);
    });
  });

  it('decodes the params that the decorator declares, and does not invoke the handler when they do not fit', async () => {
    class Days {
      @IsInt()
      days!: number;
    }
    const invoked = jest.fn();
    @JobHandler({ name: 'typed', params: Days })
    class Typed implements JobHandler<Days> {
      execute({ params }: Execution<Days>): boolean {
        invoked();
        return params instanceof Days;
      }
    }
    const registry = await start({ providers: [Typed] });
    await expect(plainJob(registry, 'typed').execute(executionFacts({ params: { days: 7 } }))).resolves.toBe(
      true,
    );
    await expect(plainJob(registry, 'typed').execute(executionFacts({ params: {} }))).rejects.toThrow(
      'The params do not fit Days: days must be an integer number.',
    );
    expect(invoked).toHaveBeenCalledTimes(1);
  });

  it('invokes what has replaced a method since start-up', async () => {
    const service = new ReportService(new Mailer());
    const registry = await start({ providers: [{ provide: ReportService, useValue: service }] });
    jest.spyOn(service, 'execute').mockReturnValue(42);
    await expect(plainJob(registry, 'report').execute(executionFacts())).resolves.toBe(42);
  });

  describe('fails start-up', () => {
    it('when a class is provided by two modules, naming both', async () => {
      const failure = start({
        imports: [
          moduleNamed('ReportsModule', { providers: [ReportService, Mailer] }),
          moduleNamed('BillingModule', { providers: [ReportService, Mailer] }),
        ],
      });
      await expect(failure).rejects.toThrow(JobHandlerInvalidError);
      await expect(failure).rejects.toThrow(
        'Two handlers have the job name "report": ReportService (ReportsModule) and ReportService (BillingModule). Rename one of them, or provide it only once.',
      );
    });

    it('when a name is taken by code, naming both', async () => {
      @Injectable()
      class Registrar {
        constructor(registry: JobHandlerRegistry) {
          registry.register({ name: 'report', execute: () => undefined });
        }
      }
      const reports = moduleNamed('ReportsModule', { providers: [ReportService, Mailer] });
      await expect(start({ imports: [reports], providers: [Registrar] })).rejects.toThrow(
        'Two handlers have the job name "report": JobHandlerRegistry.register() and ReportService (ReportsModule).',
      );
    });

    it('when a subclass is provided beside its decorated parent', async () => {
      @Injectable()
      class SpecialReportService extends ReportService {}
      await expect(start({ providers: [ReportService, SpecialReportService, Mailer] })).rejects.toThrow(
        /"report": ReportService .* and SpecialReportService /,
      );
    });

    it.each(['', '  ', 'x'.repeat(129), 'a\tb'])('when a name is %p', async (name) => {
      @JobHandler(name)
      class Misnamed implements JobHandler {
        execute(): void {}
      }
      await expect(start({ imports: [moduleNamed('M', { providers: [Misnamed] })] })).rejects.toThrow(
        /^The job handler Misnamed \(M\) cannot be registered: its job name /,
      );
    });

    it('when a decorated class has nothing to execute', async () => {
      class Empty {}
      (JobHandler('empty') as ClassDecorator)(Empty);
      await expect(start({ imports: [moduleNamed('M', { providers: [Empty] })] })).rejects.toThrow(
        'Empty (M) is decorated with @JobHandler and has no method execute: implement JobHandler, or decorate the methods instead.',
      );
    });
  });
});
