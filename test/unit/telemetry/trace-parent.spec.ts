import { INVALID_SPAN_CONTEXT } from '@opentelemetry/api';
import { activeTraceParent, spanContextOf, traceParentOf } from '../../../lib/telemetry/trace-parent.js';

const TRACE_PARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

it('names a span as W3C Trace Context does, and finds it by its name', () => {
  const spanContext = spanContextOf(TRACE_PARENT);
  expect(spanContext).toEqual({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    spanId: '00f067aa0ba902b7',
    traceFlags: 1,
    isRemote: true,
  });
  expect(traceParentOf(spanContext)).toBe(TRACE_PARENT);
});

it.each([
  undefined,
  '',
  'nonsense',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
  '00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01',
  `${TRACE_PARENT}-more`,
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
])('finds nothing by %j', (given) => {
  expect(spanContextOf(given)).toBeUndefined();
});

it('names nothing where nobody traces', () => {
  expect(activeTraceParent()).toBeUndefined();
  expect(traceParentOf(INVALID_SPAN_CONTEXT)).toBeUndefined();
});
