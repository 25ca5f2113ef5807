import { Inject } from '@nestjs/common';
import { CronStoreEngine } from './engine/index.js';
import { JobHandlerRegistry } from './jobs/index.js';
import { ScheduleManager } from './manager/index.js';
import { isDefaultStore, namedToken } from './store-name.js';

/** The token of the `ScheduleManager` of a store. @param store its name. Default: the unnamed one, whose token is the class. */
export function getScheduleManagerToken(store?: string): string | typeof ScheduleManager {
  return isDefaultStore(store) ? ScheduleManager : namedToken(store, 'ScheduleManager');
}

/** The token of the `JobHandlerRegistry` of a store. @param store its name. Default: the unnamed one, whose token is the class. */
export function getJobHandlerRegistryToken(store?: string): string | typeof JobHandlerRegistry {
  return isDefaultStore(store) ? JobHandlerRegistry : namedToken(store, 'JobHandlerRegistry');
}

/** The token of the `CronStoreEngine` of a store. @param store its name. Default: the unnamed one, whose token is the class. */
export function getCronStoreEngineToken(store?: string): string | typeof CronStoreEngine {
  return isDefaultStore(store) ? CronStoreEngine : namedToken(store, 'CronStoreEngine');
}

/** Injects the `ScheduleManager` of a store. @param store its name. Default: the unnamed one. */
export function InjectScheduleManager(store?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getScheduleManagerToken(store));
}

/** Injects the `JobHandlerRegistry` of a store. @param store its name. Default: the unnamed one. */
export function InjectJobHandlerRegistry(store?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getJobHandlerRegistryToken(store));
}

/** Injects the `CronStoreEngine` of a store. @param store its name. Default: the unnamed one. */
export function InjectCronStoreEngine(store?: string): PropertyDecorator & ParameterDecorator {
  return Inject(getCronStoreEngineToken(store));
}
