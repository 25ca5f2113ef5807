import type { ModuleRef } from '@nestjs/core';
import type { CronStoreEngine } from './engine/index.js';
import type { RunEventPublisher } from './events/index.js';
import type { JobHandlerRegistry } from './jobs/index.js';
import type { ResolvedOptions } from './options/index.js';
import type { Storage, StoreClock } from './storage/index.js';
import { DEFAULT_STORE_NAME, namedToken } from './store-name.js';
import { Stores } from './stores.js';

/** One store, for the package's own other entry points. */
export interface StoreParts {
  readonly options: ResolvedOptions;
  /** Undefined where the store is disabled. */
  readonly storage: Storage | undefined;
  readonly engine: CronStoreEngine;
  readonly registry: JobHandlerRegistry;
  readonly events: RunEventPublisher;
  readonly clock: StoreClock;
}

/** The token of the parts of a store. */
export function storePartsToken(store: string): string {
  return namedToken(store, 'CronStoreParts');
}

/**
 * Finds the parts of a store, from wherever in the application.
 *
 * @throws Error that says which there are where there is none of the name.
 */
export function storePartsOf(
  application: Pick<ModuleRef, 'get'>,
  store: string = DEFAULT_STORE_NAME,
): StoreParts {
  let parts: StoreParts;
  try {
    parts = application.get<StoreParts>(storePartsToken(store), { strict: false });
  } catch (cause) {
    throw new Error(whyNot(application, store), { cause });
  }
  return parts;
}

function whyNot(application: Pick<ModuleRef, 'get'>, store: string): string {
  let stores: Stores;
  try {
    stores = application.get(Stores, { strict: false });
  } catch {
    return 'The application has no store: import CronStoreModule.';
  }
  const advice = stores.names.length === 1 ? 'name that one' : 'give the name of one of them';
  return `The application has ${stores.insteadOf(store)}: ${advice}.`;
}
