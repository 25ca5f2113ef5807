import { Inject, Injectable } from '@nestjs/common';
import { ModulesContainer } from '@nestjs/core';
import { CronStoreOptionsError } from './options/index.js';
import { isDefaultStore, STORE_NAME, storeInWords } from './store-name.js';

/** Within the module of a store, the path of its management API and of its console, where it has them. */
export const MANAGEMENT_PATH = Symbol('MANAGEMENT_PATH');
export const CONSOLE_PATH = Symbol('CONSOLE_PATH');

/**
 * The stores of the application: which there are, and which of them this one is. Made in the module of each store, when
 * the modules are known and none is initialized.
 */
@Injectable()
export class Stores {
  /** The names of all stores of the application, sorted. */
  readonly names: readonly string[];

  /** @throws CronStoreOptionsError where two stores have the same name, or the same path. */
  constructor(
    @Inject(STORE_NAME) readonly own: string,
    @Inject(ModulesContainer) modules: ModulesContainer,
  ) {
    this.names = providedIn(modules, STORE_NAME).toSorted();
    const faults = [
      ...repeated(this.names).map(sameName),
      ...repeated(providedIn(modules, MANAGEMENT_PATH)).map((path) => samePath('management API', path)),
      ...repeated(providedIn(modules, CONSOLE_PATH)).map((path) => samePath('console', path)),
    ];
    if (faults.length > 0) {
      throw new CronStoreOptionsError(faults);
    }
  }

  /** Whether the application has a store of this name. */
  has(name: string): boolean {
    return this.names.includes(name);
  }

  /** What the application has instead of a store of this name: completes "the application has …". */
  insteadOf(name: string): string {
    const others = this.names.map(storeInWords).join(' and ');
    return `no ${isDefaultStore(name) ? 'unnamed store' : `store ${JSON.stringify(name)}`}, only ${others}`;
  }
}

/** What modules provide under a token; a module that is imported in several places is one. */
function providedIn(modules: ModulesContainer, token: symbol): readonly string[] {
  return [...modules.values()].flatMap(({ providers }) => {
    const provided: unknown = providers.get(token)?.instance;
    return typeof provided === 'string' ? [provided] : [];
  });
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

function sameName(name: string): string {
  return isDefaultStore(name)
    ? 'CronStoreModule is imported twice without a name: import it once, name one of the two, or share the result of one forRoot(…) where several modules import it.'
    : `CronStoreModule is imported twice with the name ${JSON.stringify(name)}: give each store a name of its own, or share the result of one forRoot(…) where several modules import it.`;
}

function samePath(what: string, path: string): string {
  const option = what === 'console' ? 'console.path' : 'management.path';
  return `Two stores have their ${what} at the path ${JSON.stringify(path)}: give one of them another ${option}, or none.`;
}
