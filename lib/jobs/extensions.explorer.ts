import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { ClaimObserver } from './claim-observer.js';
import { ExtensionInvalidError } from './extension-invalid.error.js';
import { RunInterceptor } from './run-interceptor.js';

/** A kind of extension: the class that is its token, and which of its methods one must have. */
interface ExtensionKind<Extension extends Ordered> {
  readonly token: abstract new () => Extension;
  readonly methods: readonly (keyof Extension & string)[];
}

interface Ordered {
  readonly order: number;
}

const INTERCEPTORS: ExtensionKind<RunInterceptor> = { token: RunInterceptor, methods: ['intercept'] };
const OBSERVERS: ExtensionKind<ClaimObserver> = {
  token: ClaimObserver,
  methods: ['beforeClaim', 'afterClaim'],
};

/** Finds the run interceptors and claim observers among the providers of every module. */
@Injectable()
export class ExtensionsExplorer {
  constructor(private readonly discovery: DiscoveryService) {}

  /**
   * The run interceptors, in their order.
   *
   * @throws ExtensionInvalidError
   */
  runInterceptors(): readonly RunInterceptor[] {
    return this.find(INTERCEPTORS);
  }

  /**
   * The claim observers, in their order.
   *
   * @throws ExtensionInvalidError
   */
  claimObservers(): readonly ClaimObserver[] {
    return this.find(OBSERVERS);
  }

  private find<Extension extends Ordered>(kind: ExtensionKind<Extension>): readonly Extension[] {
    const found = this.discovery.getProviders().flatMap((wrapper) => extensionsOf(wrapper, kind));
    // One that several providers hand out counts once.
    return [...new Set(found)].sort((a, b) => orderOf(a) - orderOf(b));
  }
}

function extensionsOf<Extension extends Ordered>(
  wrapper: InstanceWrapper,
  kind: ExtensionKind<Extension>,
): readonly Extension[] {
  const { token } = kind;
  const instance: unknown = wrapper.instance;
  if (wrapper.token !== token) {
    return instance instanceof token ? [checked(instance, wrapper, kind)] : [];
  }
  const provided: readonly unknown[] = Array.isArray(instance) ? instance : [instance];
  return provided.map((extension) => checked(extension, wrapper, kind));
}

function checked<Extension extends Ordered>(
  extension: unknown,
  wrapper: InstanceWrapper,
  { token, methods }: ExtensionKind<Extension>,
): Extension {
  if (!wrapper.isDependencyTreeStatic() || wrapper.isTransient) {
    throw new ExtensionInvalidError(
      `The ${token.name} ${String(wrapper.name)} is request-scoped or transient, itself or by what it injects: it serves every run, make it a singleton.`,
    );
  }
  if (!isExtension(extension, methods)) {
    throw new ExtensionInvalidError(
      `What ${String(wrapper.host?.name)} provides as ${token.name} has no method ${methods.join(' or ')}: provide an instance of a class that extends ${token.name}, or an array of such.`,
    );
  }
  if (!Number.isFinite(orderOf(extension))) {
    throw new ExtensionInvalidError(
      `The order of the ${token.name} ${extension.constructor.name} must be a finite number, but is ${String(extension.order)}.`,
    );
  }
  return extension;
}

function isExtension<Extension>(
  given: unknown,
  methods: readonly (keyof Extension & string)[],
): given is Extension & object {
  return (
    typeof given === 'object' &&
    given !== null &&
    methods.some((name) => typeof Reflect.get(given, name) === 'function')
  );
}

/** Whoever implements the class without extending it may leave the order out. */
function orderOf({ order = 0 }: Partial<Ordered>): number {
  return order;
}
