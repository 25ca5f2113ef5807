import { EngineNodeFactory } from './engine-node.factory.js';
import { OtherEngines } from './other-engines.js';
import { StoreStartup } from './start-up/store-startup.js';

/** What the module provides of this room, besides the engine itself. */
export const ENGINE_PROVIDERS = [EngineNodeFactory, StoreStartup, OtherEngines];
