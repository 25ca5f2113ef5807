export { INSTRUMENTATION_SCOPE } from './attributes.js';
export { RunMetrics } from './run-metrics.js';
export { RunTracer, type RunSpan } from './run-tracer.js';
export { StoreGauges, type SlotUse } from './store-gauges.js';
export { activeTraceParent } from './trace-parent.js';
