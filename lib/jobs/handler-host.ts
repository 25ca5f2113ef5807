import { ContextIdFactory, ModuleRef } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import type { Execution } from './execution.js';

/**
 * A provider or controller that may carry job handlers: knows its class, where it is, and how to get the instance that
 * executes a run.
 */
export interface HandlerHost {
  /** Prototype of the class: what decorators are looked for on, without touching an instance. */
  readonly prototype: object;
  readonly className: string;
  /** `(ReportsModule)`, and the token where it is not the class. */
  readonly location: string;
  /** The one instance; undefined where every run gets its own. */
  readonly singleton: object | undefined;
  /** The instance for one run, or for a question outside of any run. */
  instanceFor(execution?: Execution): Promise<object>;
}

/** The host behind an injector's record, or undefined when that is no object of a class. */
export function handlerHostOf(wrapper: InstanceWrapper): HandlerHost | undefined {
  // An alias (useExisting) is another name of a provider that is met under its own.
  const prototype = wrapper.isAlias ? undefined : prototypeOf(wrapper);
  if (prototype === undefined) {
    return undefined;
  }
  const className = prototype.constructor.name;
  const isSingleton = wrapper.isDependencyTreeStatic() && !wrapper.isTransient;
  const singleton: object | undefined = isSingleton ? wrapper.instance : undefined;
  return {
    prototype,
    className,
    location: locationOf(wrapper, prototype),
    singleton,
    instanceFor: (execution) =>
      singleton === undefined ? resolve(wrapper, execution) : Promise.resolve(singleton),
  };
}

/** Also a request-scoped class has an object here, of its prototype, on which no constructor ran. */
function prototypeOf({ instance }: InstanceWrapper): object | undefined {
  if (typeof instance !== 'object' || instance === null) {
    return undefined;
  }
  const prototype: object | null = Object.getPrototypeOf(instance);
  return prototype !== null && prototype !== Object.prototype && typeof prototype.constructor === 'function'
    ? prototype
    : undefined;
}

function locationOf({ host, token }: InstanceWrapper, prototype: object): string {
  const moduleName = host?.name ?? 'unknown module';
  if (token === prototype.constructor) {
    return `(${moduleName})`;
  }
  const tokenName = typeof token === 'function' ? token.name : String(token);
  return `(${moduleName}, provided as ${tokenName})`;
}

/**
 * A fresh instance in a context of its own, or where it is durable the one that the application's `ContextIdStrategy`
 * keeps for the execution, by the module that provides it: another module may provide something else
 * under the same token.
 */
async function resolve(wrapper: InstanceWrapper, execution: Execution | undefined): Promise<object> {
  const moduleRef: ModuleRef | undefined = wrapper.host?.getProviderByKey<ModuleRef>(ModuleRef)?.instance;
  if (moduleRef === undefined) {
    throw new Error(`No module provides ${String(wrapper.name)}.`);
  }
  const contextId =
    execution === undefined ? ContextIdFactory.create() : ContextIdFactory.getByRequest(execution);
  if (execution !== undefined) {
    // As Nest does for HTTP: what is made once for many runs is told what they have in common, and not one of them.
    const isKept = contextId.getParent !== undefined && wrapper.isDependencyTreeDurable();
    moduleRef.registerRequestByContextId(isKept ? contextId.payload : execution, contextId);
  }
  return await moduleRef.resolve<object>(wrapper.token, contextId, { strict: true });
}
