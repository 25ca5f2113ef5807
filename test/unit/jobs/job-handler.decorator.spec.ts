import 'reflect-metadata';
import {
  JobHandler,
  JobHandlerInvalidError,
  type Execution,
  type TransactionalExecution,
} from '../../../lib/jobs/index.js';
import { jobOfClass, jobOfMethod } from '../../../lib/jobs/job-handler.metadata.js';

class Days {
  days!: number;
}

const replaced = (_target: object, _name: string, descriptor: PropertyDescriptor): void => {
  descriptor.value = () => undefined;
};

/** Decorates as a host in JavaScript may. */
function decorate(...target: readonly unknown[]): unknown {
  return Reflect.apply(JobHandler('a'), undefined, target);
}

describe('@JobHandler', () => {
  it('takes a name, or options', () => {
    @JobHandler('by-name')
    class ByName {
      execute(): void {}
    }
    @JobHandler({ name: 'by-options', params: Days })
    class ByOptions implements JobHandler<Days> {
      execute(_execution: Execution<Days>): void {}
    }
    expect(jobOfClass(ByName)).toEqual({ name: 'by-name' });
    expect(jobOfClass(ByOptions)).toEqual({ name: 'by-options', params: Days });
  });

  it('decorates any number of methods, beside the class', () => {
    @JobHandler('class')
    class Reports {
      execute(): void {}
      @JobHandler('daily')
      daily(): void {}
      @JobHandler({ name: 'weekly', params: Days })
      weekly(_execution: Execution<Days>): void {}
    }
    expect(jobOfClass(Reports)?.name).toBe('class');
    expect(jobOfMethod(Reports.prototype, 'daily')?.name).toBe('daily');
    expect(jobOfMethod(Reports.prototype, 'weekly')?.name).toBe('weekly');
    expect(jobOfMethod(Reports.prototype, 'execute')).toBeUndefined();
  });

  it('is inherited, and replaced in a subclass without a change to its parent', () => {
    @JobHandler('parent')
    class Parent {
      execute(): void {}
      @JobHandler('parent-method')
      run(): void {}
    }
    class Heir extends Parent {
      override run(): void {}
    }
    @JobHandler('child')
    class Child extends Parent {
      @JobHandler('child-method')
      override run(): void {}
    }
    expect([jobOfClass(Heir)?.name, jobOfMethod(Heir.prototype, 'run')?.name]).toEqual([
      'parent',
      'parent-method',
    ]);
    expect([jobOfClass(Child)?.name, jobOfMethod(Child.prototype, 'run')?.name]).toEqual([
      'child',
      'child-method',
    ]);
    expect([jobOfClass(Parent)?.name, jobOfMethod(Parent.prototype, 'run')?.name]).toEqual([
      'parent',
      'parent-method',
    ]);
  });

  it('survives a decorator that replaces the method', () => {
    class Reports {
      @replaced
      @JobHandler('wrapped')
      run(): void {}
    }
    expect(jobOfMethod(Reports.prototype, 'run')?.name).toBe('wrapped');
  });

  it('refuses what is no class and no instance method', () => {
    class Statics {
      static run(): void {}
    }
    expect(() => decorate(Statics, 'run', { value: Statics.run.bind(Statics) })).toThrow(
      JobHandlerInvalidError,
    );
    expect(() => decorate({}, 'property')).toThrow(/cannot decorate property/);
    expect(() => decorate({}, 'accessor', { get: () => undefined })).toThrow(/cannot decorate accessor/);
  });

  it('refuses a second name for one handler', () => {
    expect(() => {
      @JobHandler('one')
      @JobHandler('two')
      class Twice {
        execute(): void {}
      }
      return Twice;
    }).toThrow('@JobHandler decorates Twice twice: a handler has one job name, remove one of the two.');
    expect(() => {
      class Twice {
        @JobHandler('one')
        @JobHandler('two')
        run(): void {}
      }
      return Twice;
    }).toThrow(/Twice\.run\(\) twice/);
  });

  it('is checked by the compiler', () => {
    // @ts-expect-error a decorated class has a method execute
    @JobHandler('nothing-to-execute')
    class Empty {}

    class Mismatched {
      // @ts-expect-error the method takes other params than the decorator declares
      @JobHandler({ name: 'mismatched', params: Days })
      run(_execution: Execution<{ readonly weeks: number }>): void {}
    }

    @JobHandler({ name: 'transactional', params: Days, transactional: true })
    class Transactional implements JobHandler<Days> {
      execute(_execution: TransactionalExecution<Days>): void {}

      @JobHandler({ name: 'transactional-method', transactional: true })
      run(_execution: TransactionalExecution): void {}

      @JobHandler({ name: 'transactional-without-use', transactional: true })
      ignore(_execution: Execution): void {}
    }

    // @ts-expect-error only a transactional handler has a manager
    @JobHandler({ name: 'not-transactional' })
    class NotTransactional {
      execute(_execution: TransactionalExecution): void {}

      // @ts-expect-error only a transactional handler has a manager
      @JobHandler('not-transactional-method')
      run(_execution: TransactionalExecution): void {}
    }
    expect([Empty, Mismatched, Transactional, NotTransactional]).toHaveLength(4);
  });
});
