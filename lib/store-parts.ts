import type { ModuleRef } from '@nestjs/core';
import type { CronStoreEngine } from './engine/index.js';
import type { RunEventPublisher } from './events/index.js';
import type { JobHandlerRegistry } from './jobs/index.js';
import type { ResolvedOptions } from './options/index.js';
import type { Storage, StoreClock } from './storage/index.js';
import { DEFAULT_STORE_NAME, namedToken, storeInWords } from './store-name.js';

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
 * @throws Error that names the store where there is none of the name.
 */
export function storePartsOf(
  application: Pick<ModuleRef, 'get'>,
  store: string = DEFAULT_STORE_NAME,
): StoreParts {
  let parts: StoreParts;
  try {
    parts = application.get<StoreParts>(storePartsToken(store), { strict: false });
  } catch (cause) {
    throw new Error(
      `The application has not got ${storeInWords(store)}: import CronStoreModule with that name, or correct it.`,
      { cause },
    );
  }
  return parts;
}
