export type { AbortSource } from './abort-source.js';
export { ClaimObserver, type Claim, type ClaimIntent } from './claim-observer.js';
export {
  Execution,
  occurrenceOf,
  TransactionalExecution,
  type ExecutionFacts,
  type Occurrence,
} from './execution.js';
export { ExtensionInvalidError } from './extension-invalid.error.js';
export { ExtensionsExplorer } from './extensions.explorer.js';
export type { DefaultScheduleAnswer } from './job-definition.js';
export { JobHandler, type JobHandlerDecorator } from './job-handler.decorator.js';
export { JobHandlerInvalidError } from './job-handler.error.js';
export { JobHandlerExplorer } from './job-handler.explorer.js';
export type { JobHandlerOptions } from './job-handler.options.js';
export {
  JobHandlerRegistry,
  type JobRegistration,
  type TransactionalJobRegistration,
} from './job-handler.registry.js';
export { JOB_REGISTRY } from './jobs.tokens.js';
export { ParamsInvalidError } from './params-invalid.error.js';
export type { RegisteredJob } from './registered-job.js';
export { RunInterceptorError } from './run-interceptor.error.js';
export { RunInterceptor } from './run-interceptor.js';
