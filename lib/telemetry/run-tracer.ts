import {
  context,
  diag,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Span,
  type Tracer,
} from '@opentelemetry/api';
import type { Run } from '../schedules/index.js';
import { ATTRIBUTE, endAttributes, identityAttributes, type RunEnd, type RunSource } from './attributes.js';
import { spanContextOf, traceParentOf } from './trace-parent.js';

/** A run, and the span that caused it where it is known. */
export interface TracedRun extends Run {
  readonly traceParent?: string;
}

/** Traces the runs of this node. What is wrong with somebody's SDK goes to its own log, and never into a run. */
export class RunTracer {
  constructor(
    private readonly tracer: Tracer,
    private readonly source: RunSource,
  ) {}

  /**
   * Starts the span of a run. It is a trace of its own, with a link to what caused it: a run is not part of the request
   * that asked for it, which is over long before, nor of the attempt that it repeats.
   */
  start(run: TracedRun): RunSpan {
    try {
      const span = this.startSpan(run);
      if (span.isRecording()) {
        span.setAttributes(identityAttributes(run, this.source));
      }
      return new RunSpan(span);
    } catch (error) {
      diag.error('The span of a run could not be started.', error);
      return new RunSpan(trace.wrapSpanContext(INVALID_SPAN_CONTEXT));
    }
  }

  private startSpan(run: TracedRun): Span {
    const cause = spanContextOf(run.traceParent);
    return this.tracer.startSpan(
      `run ${run.jobName}`,
      {
        kind: SpanKind.CONSUMER,
        root: true,
        // For samplers. Everything else is worth its making only where somebody records it.
        attributes: { [ATTRIBUTE.jobName]: run.jobName, [ATTRIBUTE.runOrigin]: run.origin },
        links: cause === undefined ? [] : [{ context: cause }],
      },
      ROOT_CONTEXT,
    );
  }
}

const TAKEN_OVER: RunEnd = { status: 'abandoned', reason: 'heartbeat_lost' };

/** The span of one run. What ends it first is final. */
export class RunSpan {
  private errorType: string | undefined;

  constructor(private readonly span: Span) {}

  /** Names the span, for what it causes in its turn; undefined where nobody traces. */
  get traceParent(): string | undefined {
    return traceParentOf(this.span.spanContext());
  }

  /** Does some work in the context of the span. */
  around<Result>(work: () => Result): Result {
    // Of nobody who traces there is nothing to hand on.
    if (!trace.isSpanContextValid(this.span.spanContext())) {
      return work();
    }
    return context.with(trace.setSpan(ROOT_CONTEXT, this.span), work);
  }

  /** Notes the class of what a handler threw, and nothing else of it: messages and stacks may quote a payload. */
  noteError(thrown: unknown): void {
    this.errorType = classOf(thrown);
  }

  /** Whether anybody will see it, which ends with the span. */
  get isRecording(): boolean {
    return this.span.isRecording();
  }

  /** The outcome of the run is decided. */
  end(end: RunEnd): void {
    if (!this.isRecording) {
      return;
    }
    try {
      this.describeEnd(end);
      this.span.end();
    } catch (error) {
      diag.error('The span of a run could not be ended.', error);
    }
  }

  /** Another node took the run over: its outcome is not this node's to tell. */
  endTakenOver(): void {
    this.end(TAKEN_OVER);
  }

  private describeEnd(end: RunEnd): void {
    this.span.setAttributes(endAttributes(end));
    if (end.status === 'failed' || end.status === 'abandoned') {
      const { reason = end.status } = end;
      this.span.setAttribute(ATTRIBUTE.errorType, (reason === 'handler_error' && this.errorType) || reason);
      this.span.setStatus({ code: SpanStatusCode.ERROR, message: reason });
    }
  }
}

/** The class, which is code; a name is a property that may say anything. */
function classOf(thrown: unknown): string | undefined {
  try {
    return thrown instanceof Error ? thrown.constructor.name : undefined;
  } catch {
    // What is thrown may be anything, also something that refuses to be looked at.
    return undefined;
  }
}
