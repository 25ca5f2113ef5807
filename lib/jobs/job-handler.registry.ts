import { Injectable, type Type } from '@nestjs/common';
import { type DefaultSchedule, validName } from '../schedules/index.js';
import type { Execution, TransactionalExecution } from './execution.js';
import { type DefaultScheduleAnswer, type JobDefinition, RegisteredJob } from './job-definition.js';
import { JobHandlerInvalidError } from './job-handler.error.js';

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
 * The job handlers of this node, by job name.
 *
 * Decorated handlers are registered in `onModuleInit`; others are added by `register()` in a constructor or in
 * `onModuleInit`, before the engine starts in `onApplicationBootstrap`. From then on the registry is closed: other
 * nodes rely on what this one said it can execute.
 */
@Injectable()
export class JobHandlerRegistry {
  private readonly jobs = new Map<string, RegisteredJob>();
  private isClosed = false;

  /**
   * Registers a job handler without a decorator.
   *
   * @throws JobHandlerInvalidError for an empty, over-long or duplicate name, a handler that is not a function, or
   *   after the engine has started.
   */
  register<P = unknown>(registration: JobRegistration<P> | TransactionalJobRegistration<P>): void {
    const { name, execute, params, transactional, defaultSchedule } = registration;
    const place = 'JobHandlerRegistry.register()';
    if (typeof execute !== 'function') {
      throw new JobHandlerInvalidError(
        `The job ${JSON.stringify(name)} of ${place} has no function execute: add it.`,
      );
    }
    this.add({
      name,
      place,
      params,
      transactional,
      invoke: execute.bind(registration),
      defaultSchedule:
        typeof defaultSchedule === 'function'
          ? defaultSchedule.bind(registration)
          : defaultSchedule && (() => defaultSchedule),
    });
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
    if (this.isClosed) {
      throw new JobHandlerInvalidError(
        `The job ${JSON.stringify(name)} of ${place} comes too late, the engine has started: register it in a constructor or in onModuleInit.`,
      );
    }
    const other = this.jobs.get(name);
    if (other !== undefined) {
      throw new JobHandlerInvalidError(
        `Two handlers have the job name ${JSON.stringify(name)}: ${other.place} and ${place}. Rename one of them, or provide it only once.`,
      );
    }
    this.jobs.set(name, new RegisteredJob(definition));
  }

  /** Refuses every later registration. Called by the engine as it starts. @internal */
  close(): void {
    this.isClosed = true;
  }
}

function refuseInvalid({ name, place, params }: JobDefinition): void {
  try {
    validName(name, 'its job name');
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new JobHandlerInvalidError(`The job handler ${place} cannot be registered: ${reason}`, { cause });
  }
  if (params !== undefined && typeof params !== 'function') {
    throw new JobHandlerInvalidError(
      `The params of the job ${JSON.stringify(name)} of ${place} must be a class.`,
    );
  }
}
