/** Within the module of a store, its `JobHandlerRegistry`, whatever the application knows that by. */
export const JOB_REGISTRY = Symbol('JOB_REGISTRY');
