import { context, isSpanContextValid, trace, type SpanContext } from '@opentelemetry/api';

const TRACE_PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

/**
 * Names the span in whose context this is called, as a `traceparent` of W3C Trace Context; undefined where there is
 * none, as always without an SDK.
 */
export function activeTraceParent(): string | undefined {
  return traceParentOf(trace.getSpanContext(context.active()));
}

/** Names a span as a `traceparent`; undefined where there is nothing to name. */
export function traceParentOf(spanContext: SpanContext | undefined): string | undefined {
  if (spanContext === undefined || !isSpanContextValid(spanContext)) {
    return undefined;
  }
  const { traceId, spanId, traceFlags } = spanContext;
  return `00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`;
}

/** Reads a `traceparent`; undefined where it is none. */
export function spanContextOf(traceParent: string | undefined): SpanContext | undefined {
  const [, traceId = '', spanId = '', flags = ''] = TRACE_PARENT.exec(traceParent ?? '') ?? [];
  const spanContext = { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
  return isSpanContextValid(spanContext) ? spanContext : undefined;
}
