export type { PassResult } from './claimer.js';
export { CronStoreEngine, type EngineState, type EngineStatus } from './engine.js';
export { RunAbortedError } from './active-run.js';
export { PACKAGE_VERSION } from './package-version.js';
