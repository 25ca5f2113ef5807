export type { PassResult } from './claimer.js';
export { CronStoreEngine } from './engine.js';
export type { EngineFault, EngineState, EngineStatus } from './engine-status.js';
export { RunAbortedError } from './active-run.js';
export { PACKAGE_VERSION } from './package-version.js';
export { RunAnnouncer } from './run-announcer.js';
