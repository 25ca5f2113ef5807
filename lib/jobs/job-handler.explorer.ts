import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { DEFAULT_STORE_NAME } from '../store-name.js';
import { Stores } from '../stores.js';
import type { Execution } from './execution.js';
import { type HandlerHost, handlerHostOf } from './handler-host.js';
import type { DefaultScheduleAnswer, JobDefinition } from './job-definition.js';
import type { JobHandler } from './job-handler.decorator.js';
import { JobHandlerInvalidError } from './job-handler.error.js';
import { jobOfClass, jobOfMethod } from './job-handler.metadata.js';
import type { JobHandlerOptions } from './job-handler.options.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { JOB_REGISTRY } from './jobs.tokens.js';
import { requireDecoder } from './params-decoder.js';

/**
 * Finds what `@JobHandler` decorates among the providers and controllers of every module, and registers what belongs to
 * this store.
 */
@Injectable()
export class JobHandlerExplorer implements OnModuleInit {
  private readonly known = new WeakSet<object>();

  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    @Inject(JOB_REGISTRY) private readonly registry: JobHandlerRegistry,
    private readonly stores: Stores,
  ) {}

  /** In `onModuleInit`: every provider exists by then, and the engine starts only after it. */
  async onModuleInit(): Promise<void> {
    await this.discover();
  }

  /**
   * Registers the jobs of providers that were not there when it looked before, as those of a module that was loaded
   * lazily; all of them or, where one cannot be registered, those before it. That one is refused once, and left out then.
   *
   * @returns their names.
   * @throws JobHandlerInvalidError
   */
  async discover(): Promise<readonly string[]> {
    const found = this.newHosts().map(([identity, host]) => ({
      identity,
      definitions: [...this.jobOfItself(host), ...this.jobsOfMethods(host)],
    }));
    const definitions = found.flatMap((each) => each.definitions);
    const decoded = definitions.find(({ params }) => params !== undefined);
    if (decoded !== undefined) {
      await requireDecoder(decoded.place);
    }
    for (const { identity, definitions: jobs } of found) {
      // Another call may have been faster.
      if (!this.known.has(identity)) {
        this.known.add(identity);
        jobs.forEach((job) => this.registry.add(job));
      }
    }
    return definitions.map(({ name }) => name);
  }

  /** An object that several providers hand out is one host. */
  private newHosts(): readonly (readonly [object, HandlerHost])[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const hosts = new Map<object, HandlerHost>();
    for (const wrapper of wrappers) {
      const host = handlerHostOf(wrapper);
      const identity = host?.singleton ?? wrapper;
      if (host !== undefined && !hosts.has(identity) && !this.known.has(identity)) {
        hosts.set(identity, host);
      }
    }
    return [...hosts];
  }

  private jobOfItself(host: HandlerHost): readonly JobDefinition[] {
    const options = jobOfClass(host.prototype.constructor);
    if (options === undefined) {
      return [];
    }
    const place = `${host.className} ${host.location}`;
    if (!this.isOurs(options, place)) {
      return [];
    }
    if (!this.hasMethod(host, 'execute')) {
      throw new JobHandlerInvalidError(
        `${place} is decorated with @JobHandler and has no method execute: implement JobHandler, or decorate the methods instead.`,
      );
    }
    return [
      {
        name: options.name,
        place,
        params: options.params,
        kind: kindOf(options),
        invoke: invoking(host, 'execute'),
        defaultSchedule: this.defaultScheduleOf(host, options, place),
      },
    ];
  }

  private jobsOfMethods(host: HandlerHost): readonly JobDefinition[] {
    return this.scanner.getAllMethodNames(host.prototype).flatMap((methodName) => {
      const options = jobOfMethod(host.prototype, methodName);
      const place = `${host.className}.${methodName}() ${host.location}`;
      if (options === undefined || !this.isOurs(options, place)) {
        return [];
      }
      const { name, params, defaultSchedule } = options;
      return {
        name,
        place,
        params,
        kind: kindOf(options),
        invoke: invoking(host, methodName),
        defaultSchedule: defaultSchedule && (() => defaultSchedule),
      };
    });
  }

  /** Every store looks at every handler, so that one that belongs to none is noticed. */
  private isOurs({ store: given }: JobHandlerOptions, place: string): boolean {
    const store = given ?? DEFAULT_STORE_NAME;
    if (!this.stores.has(store)) {
      const advice =
        given === undefined
          ? `Give @JobHandler the option store, as in \`store: '${this.stores.own}'\``
          : 'Correct the option store of @JobHandler, or import CronStoreModule for it';
      throw new JobHandlerInvalidError(
        `The job handler ${place} belongs to no store: the application has ${this.stores.insteadOf(store)}. ${advice}.`,
      );
    }
    return store === this.stores.own;
  }

  private defaultScheduleOf(
    host: HandlerHost,
    { defaultSchedule }: JobHandlerOptions,
    place: string,
  ): (() => DefaultScheduleAnswer) | undefined {
    if (!this.hasMethod(host, 'defaultSchedule')) {
      return defaultSchedule && (() => defaultSchedule);
    }
    if (defaultSchedule !== undefined) {
      throw new JobHandlerInvalidError(
        `${place} has two default schedules, in its decorator and as its method defaultSchedule(): remove one of them.`,
      );
    }
    return async () => {
      const handler = await host.instanceFor();
      return isJobHandler(handler) ? await handler.defaultSchedule?.() : undefined;
    };
  }

  private hasMethod({ prototype, singleton }: HandlerHost, methodName: string): boolean {
    return (
      this.scanner.getAllMethodNames(prototype).includes(methodName) || hasOwnFunction(singleton, methodName)
    );
  }
}

function kindOf({ transactional = false }: JobHandlerOptions): JobDefinition['kind'] {
  return transactional ? 'transactional' : 'plain';
}

/** Looks the method up at each run, so that what replaces it later (a spy, a wrapper) is respected. */
function invoking(host: HandlerHost, methodName: string): (execution: Execution) => Promise<unknown> {
  return async (execution) => methodOf(await host.instanceFor(execution), methodName)(execution);
}

function methodOf(instance: object, name: string): (...args: readonly unknown[]) => unknown {
  const method: unknown = Reflect.get(instance, name);
  if (typeof method !== 'function') {
    throw new TypeError(`${instance.constructor.name}.${name} is no longer a method.`);
  }
  return method.bind(instance);
}

function isJobHandler(instance: object): instance is JobHandler {
  return 'execute' in instance && typeof instance.execute === 'function';
}

/** Also an arrow function in a property of that name is a handler. */
function hasOwnFunction(instance: object | undefined, name: string): boolean {
  return typeof (instance && Object.getOwnPropertyDescriptor(instance, name)?.value) === 'function';
}
