import { Injectable, type Type } from '@nestjs/common';
import { messageOf } from '../error-reading.js';
import { type DefaultSchedule, validName } from '../schedules/index.js';
import type { Execution, TransactionalExecution } from './execution.js';
import type { DefaultScheduleAnswer, JobDefinition } from './job-definition.js';
import { JobHandlerInvalidError } from './job-handler.error.js';
import { registeredJob, type RegisteredJob } from './registered-job.js';

/** A job handler registered by code, with the same meaning as `@JobHandler`'s. */
export interface JobRegistration<P = unknown> {
  /** Unique among the job names of this node, 1–128 characters. */
  readonly name: string;
  /** Executes one run: returning makes it `succeeded`, throwing or rejecting makes it `failed`. */
  readonly execute: (execution: Execution<P>) => unknown;
  /** Class that the params are decoded into and validated with. Default: they are delivered as they are. */
  readonly params?: Type<P & object>;
  /** True makes it a `TransactionalJobRegistration`. */
  readonly transactional?: false;
  /** Schedule that the job brings along, or a function asked for it once at start-up. Default: none. */
  readonly defaultSchedule?: DefaultSchedule | (() => DefaultScheduleAnswer);
}

/** A job handler registered by code that runs in the transaction which records its success. */
export interface TransactionalJobRegistration<P = unknown> extends Omit<
  JobRegistration<P>,
  'execute' | 'transactional'
> {
  /** See `JobHandlerOptions.transactional`. */
  readonly transactional: true;
  /** Executes one run, with `execution.manager`. */
  readonly execute: (execution: TransactionalExecution<P>) => unknown;
}

/**
 * The job handlers of a store on this node, by job name.
 *
 * Decorated handlers are registered in `onModuleInit`; others are added by `register()`, best in a constructor or in
 * `onModuleInit`, so that the node executes them from its first moment on. One that comes later is executed from then on:
 * its schedules are claimed by the next pass, other nodes learn of it at once, and its default schedule is seeded.
 */
@Injectable()
export class JobHandlerRegistry {
  private readonly jobs = new Map<string, RegisteredJob>();
  private onLateJob: ((job: RegisteredJob) => void) | undefined;

  /**
   * Registers a job handler without a decorator. After the engine has started, other nodes are told and the default
   * schedule is seeded in the background: `CronStoreEngine.discoverHandlers()` waits for that.
   *
   * @throws JobHandlerInvalidError for an empty, over-long or duplicate name, or a handler that is not a function.
   */
  register<P = unknown>(registration: JobRegistration<P> | TransactionalJobRegistration<P>): void {
    const { name, execute, params, defaultSchedule } = registration;
    const place = 'JobHandlerRegistry.register()';
    if (typeof execute !== 'function') {
      throw new JobHandlerInvalidError(
        `The job ${JSON.stringify(name)} of ${place} has no function execute: add it.`,
      );
    }
    const common = {
      name,
      place,
      params,
      defaultSchedule:
        typeof defaultSchedule === 'function'
          ? defaultSchedule.bind(registration)
          : defaultSchedule && (() => defaultSchedule),
    };
    this.add(
      registration.transactional === true
        ? { ...common, kind: 'transactional', invoke: registration.execute.bind(registration) }
        : { ...common, kind: 'plain', invoke: registration.execute.bind(registration) },
    );
  }

  /** The job of a name, or undefined when this node cannot execute it. @internal */
  get(name: string): RegisteredJob | undefined {
    return this.jobs.get(name);
  }

  /** Every registered job name, sorted. */
  names(): readonly string[] {
    return [...this.jobs.keys()].sort();
  }

  /** Every registered job, sorted by name. @internal */
  all(): readonly RegisteredJob[] {
    return this.names().flatMap((name) => this.jobs.get(name) ?? []);
  }

  /** Adds a job, from wherever it is defined. @internal */
  add(definition: JobDefinition): void {
    const { name, place } = definition;
    refuseInvalid(definition);
    const other = this.jobs.get(name);
    if (other !== undefined) {
      throw new JobHandlerInvalidError(
        `Two handlers have the job name ${JSON.stringify(name)}: ${other.place} and ${place}. Rename one of them, or provide it only once.`,
      );
    }
    const job = registeredJob(definition);
    this.jobs.set(name, job);
    this.onLateJob?.(job);
  }

  /** Tells of every job that is registered from now on. Called by the engine as it starts. @internal */
  announceLateJobs(onLateJob: (job: RegisteredJob) => void): void {
    this.onLateJob = onLateJob;
  }
}

function refuseInvalid({ name, place, params }: JobDefinition): void {
  try {
    validName(name, 'its job name');
  } catch (cause) {
    throw new JobHandlerInvalidError(`The job handler ${place} cannot be registered: ${messageOf(cause)}`, {
      cause,
    });
  }
  if (params !== undefined && typeof params !== 'function') {
    throw new JobHandlerInvalidError(
      `The params of the job ${JSON.stringify(name)} of ${place} must be a class.`,
    );
  }
}
