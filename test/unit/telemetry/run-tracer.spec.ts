import { trace, type Span, type Tracer } from '@opentelemetry/api';
import { RunTracer } from '../../../lib/telemetry/index.js';
import { buildRun } from '../../../lib/testing/index.js';

const SOURCE = { store: 'default', nodeId: 'node' };

function failing(): never {
  throw new Error('a processor of the application');
}

it('keeps what is wrong with an SDK away from runs', () => {
  const unstartable = { startSpan: failing } as unknown as Tracer;
  const span = new RunTracer(unstartable, SOURCE).start(buildRun());
  expect(span.around(() => 'done')).toBe('done');
  expect(span.traceParent).toBeUndefined();
  span.end({ status: 'succeeded' });

  const unendable: Partial<Span> = {
    isRecording: () => true,
    spanContext: trace.getTracer('none').startSpan('none').spanContext,
    setAttributes: failing,
  };
  const broken = { startSpan: () => ({ ...unendable, setAttributes: () => unendable, end: failing }) };
  new RunTracer(broken as unknown as Tracer, SOURCE).start(buildRun()).end({ status: 'succeeded' });
});

it('notes the class of whatever is thrown, where it has one', () => {
  const attributes = new Map<string, unknown>();
  const recording = {
    isRecording: () => true,
    setAttributes: () => undefined,
    setAttribute: (name: string, value: unknown) => attributes.set(name, value),
    setStatus: () => undefined,
    end: () => undefined,
  };
  const tracer = new RunTracer({ startSpan: () => recording } as unknown as Tracer, SOURCE);
  const typeOf = (thrown: unknown) => {
    const span = tracer.start(buildRun());
    span.noteError(thrown);
    span.end({ status: 'failed', reason: 'handler_error' });
    return attributes.get('error.type');
  };
  expect(typeOf(new RangeError('secret'))).toBe('RangeError');
  expect(typeOf('secret')).toBe('handler_error');
  expect(typeOf(new Proxy({}, { getPrototypeOf: failing }))).toBe('handler_error');
  expect(typeOf(undefined)).toBe('handler_error');
});
