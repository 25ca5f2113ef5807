import { metrics } from '@opentelemetry/api';
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus';
import { MeterProvider } from '@opentelemetry/sdk-metrics';

// Imported before everything else: what is measured before the SDK is registered is lost.
const port = Number(process.env['METRICS_PORT'] ?? 9464);
const exporter = new PrometheusExporter({ host: '127.0.0.1', port, withoutScopeInfo: true });
metrics.setGlobalMeterProvider(new MeterProvider({ readers: [exporter] }));
