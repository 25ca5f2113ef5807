import { context, metrics, trace } from '@opentelemetry/api';
import {
  AggregationTemporality,
  DataPointType,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
  type ExponentialHistogram,
  type Histogram,
} from '@opentelemetry/sdk-metrics';
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node';

/** One series of a metric: its attributes and its value. */
export type Series = DataPoint<number> | DataPoint<Histogram> | DataPoint<ExponentialHistogram>;

/** OpenTelemetry's SDK, exporting to memory. */
export interface Telemetry {
  /** The series of a metric as they are now; none where it was not recorded. */
  collect(name: string): Promise<readonly Series[]>;
  /** The series of a metric that were recorded since the last time this was asked for. */
  collectLatest(name: string): Promise<readonly Series[]>;
  /** Names of every metric that has been recorded, each with its unit. */
  units(): Promise<Readonly<Record<string, string>>>;
  /** Bounds of the buckets of a histogram. */
  bounds(name: string): Promise<readonly number[]>;
  spans(): readonly ReadableSpan[];
  shutdown(): Promise<void>;
}

/** Registers an SDK, as an application does before it starts Nest. */
export function startTelemetry(): Telemetry {
  const total = readerOf(AggregationTemporality.CUMULATIVE);
  const latest = readerOf(AggregationTemporality.DELTA);
  const meterProvider = new MeterProvider({ readers: [total.reader, latest.reader] });
  metrics.setGlobalMeterProvider(meterProvider);
  const spans = new InMemorySpanExporter();
  const tracerProvider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
  tracerProvider.register();

  return {
    collect: async (name) => (await total.find(name))?.dataPoints ?? [],
    collectLatest: async (name) => (await latest.find(name))?.dataPoints ?? [],
    units: async () =>
      Object.fromEntries((await total.all()).map(({ descriptor: { name, unit } }) => [name, unit])),
    bounds: async (name) => {
      const found = await total.find(name);
      return found?.dataPointType === DataPointType.HISTOGRAM
        ? (found.dataPoints[0]?.value.buckets.boundaries ?? [])
        : [];
    },
    spans: () => spans.getFinishedSpans(),
    shutdown: async () => {
      await Promise.all([meterProvider.shutdown(), tracerProvider.shutdown()]);
      metrics.disable();
      trace.disable();
      context.disable();
    },
  };
}

function readerOf(temporality: AggregationTemporality) {
  const exporter = new InMemoryMetricExporter(temporality);
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 });
  const collect = async () => {
    exporter.reset();
    await reader.forceFlush();
    return exporter
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics));
  };
  let last: Promise<unknown> = Promise.resolve();
  // One after the other: each would forget what another is about to read.
  const all = async () => {
    const next = last.then(collect);
    last = next.catch(() => undefined);
    return next;
  };
  const find = async (name: string) => (await all()).find(({ descriptor }) => descriptor.name === name);
  return { reader, all, find };
}
