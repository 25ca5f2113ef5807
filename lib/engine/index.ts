export type { PassResult } from './claiming/claimer.js';
export { CronStoreEngine } from './engine.js';
export { ENGINE_PROVIDERS } from './engine.providers.js';
export type { EngineFault, EngineState, EngineStatus } from './engine-status.js';
export { RunAbortedError } from './execution/active-run.js';
export { PACKAGE_VERSION } from './package-version.js';
export { RunAnnouncer } from './execution/run-announcer.js';
