import { Injectable, type OnModuleInit } from '@nestjs/common';
import { DiscoveryService, MetadataScanner } from '@nestjs/core';
import { type HandlerHost, handlerHostOf } from './handler-host.js';
import type { DefaultScheduleAnswer, JobDefinition } from './job-definition.js';
import type { JobHandler } from './job-handler.decorator.js';
import { JobHandlerInvalidError } from './job-handler.error.js';
import { jobOfClass, jobOfMethod } from './job-handler.metadata.js';
import type { JobHandlerOptions } from './job-handler.options.js';
import { JobHandlerRegistry } from './job-handler.registry.js';
import { requireDecoder } from './params-decoder.js';

/** Finds what `@JobHandler` decorates among the providers and controllers of every module, and registers it. */
@Injectable()
export class JobHandlerExplorer implements OnModuleInit {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly scanner: MetadataScanner,
    private readonly registry: JobHandlerRegistry,
  ) {}

  /** In `onModuleInit`: every provider exists by then, and the engine starts only after it. */
  async onModuleInit(): Promise<void> {
    const definitions = this.explore();
    for (const definition of definitions) {
      this.registry.add(definition);
    }
    if (definitions.some(({ params }) => params !== undefined)) {
      await requireDecoder();
    }
  }

  private explore(): readonly JobDefinition[] {
    return this.hosts().flatMap((host) => this.jobOfItself(host).concat(this.jobsOfMethods(host)));
  }

  /** An object that several providers hand out is one host. */
  private hosts(): readonly HandlerHost[] {
    const wrappers = [...this.discovery.getProviders(), ...this.discovery.getControllers()];
    const hosts = new Map<object, HandlerHost>();
    for (const wrapper of wrappers) {
      const host = handlerHostOf(wrapper);
      const identity = host?.singleton ?? wrapper;
      if (host !== undefined && !hosts.has(identity)) {
        hosts.set(identity, host);
      }
    }
    return [...hosts.values()];
  }

  private jobOfItself(host: HandlerHost): readonly JobDefinition[] {
    const options = jobOfClass(host.prototype.constructor);
    if (options === undefined) {
      return [];
    }
    const place = `${host.className} ${host.location}`;
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
        transactional: options.transactional,
        invoke: invoking(host, 'execute'),
        defaultSchedule: this.defaultScheduleOf(host, options, place),
      },
    ];
  }

  private jobsOfMethods(host: HandlerHost): readonly JobDefinition[] {
    return this.scanner.getAllMethodNames(host.prototype).flatMap((methodName) => {
      const options = jobOfMethod(host.prototype, methodName);
      if (options === undefined) {
        return [];
      }
      const { name, params, transactional, defaultSchedule } = options;
      return {
        name,
        place: `${host.className}.${methodName}() ${host.location}`,
        params,
        transactional,
        invoke: invoking(host, methodName),
        defaultSchedule: defaultSchedule && (() => defaultSchedule),
      };
    });
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

/** Looks the method up at each run, so that what replaces it later (a spy, a wrapper) is respected. */
function invoking(host: HandlerHost, methodName: string): JobDefinition['invoke'] {
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
