import { Injectable } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import type { InstanceWrapper } from '@nestjs/core/injector/instance-wrapper.js';
import { Stores } from '../stores.js';
import { ClaimObserver } from './claim-observer.js';
import { CLAIM_OBSERVER, isBranded, isBrandedClass, RUN_INTERCEPTOR } from './extension-brand.js';
import { ExtensionInvalidError } from './extension-invalid.error.js';
import { RunInterceptor } from './run-interceptor.js';

/** A kind of extension: the class that is its token, what marks that class, and which of its methods one must have. */
interface ExtensionKind<Extension extends Ordered> {
  readonly token: abstract new () => Extension;
  readonly mark: symbol;
  readonly methods: readonly (keyof Extension & string)[];
}

interface Ordered {
  readonly order: number;
  readonly stores?: readonly string[] | undefined;
}

const INTERCEPTORS: ExtensionKind<RunInterceptor> = {
  token: RunInterceptor,
  mark: RUN_INTERCEPTOR,
  methods: ['intercept'],
};
const OBSERVERS: ExtensionKind<ClaimObserver> = {
  token: ClaimObserver,
  mark: CLAIM_OBSERVER,
  methods: ['beforeClaim', 'afterClaim'],
};

/** Finds the run interceptors and claim observers of this store among the providers of every module. */
@Injectable()
export class ExtensionsExplorer {
  constructor(
    private readonly discovery: DiscoveryService,
    private readonly stores: Stores,
  ) {}

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
    const ours = [...new Set(found)].filter((extension) => this.isOurs(extension, kind));
    return ours.sort((a, b) => orderOf(a) - orderOf(b));
  }

  /** Without names it serves every store. */
  private isOurs<Extension extends Ordered>(extension: Extension, kind: ExtensionKind<Extension>): boolean {
    const names: unknown = extension.stores;
    if (names === undefined) {
      return true;
    }
    const subject = `The ${kind.token.name} ${extension.constructor.name}`;
    if (!Array.isArray(names) || !names.every((name) => typeof name === 'string')) {
      throw new ExtensionInvalidError(`${subject} must have an array of the names of its stores in stores.`);
    }
    const unknown = names.find((name) => !this.stores.has(name));
    if (unknown !== undefined) {
      throw new ExtensionInvalidError(
        `${subject} serves a store in vain: the application has ${this.stores.insteadOf(unknown)}.`,
      );
    }
    return names.includes(this.stores.own);
  }
}

function extensionsOf<Extension extends Ordered>(
  wrapper: InstanceWrapper,
  kind: ExtensionKind<Extension>,
): readonly Extension[] {
  const { mark } = kind;
  const instance: unknown = wrapper.instance;
  if (!isBrandedClass(wrapper.token, mark)) {
    return isBranded(instance, mark) ? [checked(instance, wrapper, kind)] : [];
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
