import type { Meter } from '@opentelemetry/api';
import { ATTRIBUTE } from '../../../lib/telemetry/attributes.js';
import { RunMetrics, StoreGauges } from '../../../lib/telemetry/index.js';
import { page } from './support/manual.js';
import { codeIn, column } from './support/table.js';

const KINDS: Readonly<Record<string, string>> = {
  createCounter: 'Counter',
  createHistogram: 'Histogram',
  createObservableGauge: 'Gauge',
  createObservableUpDownCounter: 'UpDownCounter',
};

const operations = page('operations');
const table = operations.tableIn('Metrics and traces', 'Metric', 'Kind', 'Unit', 'Attributes');
const names = column(table, 'Metric').flatMap(codeIn);

it('lists every metric with its kind and its unit', () => {
  const units = column(table, 'Unit').map((cell) => codeIn(cell)[0]);
  const listed = names.map((name, index) => [name, column(table, 'Kind')[index], units[index]]);
  expect(listed).toEqual(createdInstruments());
});

it('names every attribute, and none that does not exist', () => {
  const prefixed = column(table, 'Attributes')
    .flatMap(codeIn)
    .map((name) => `cron_store.${name}`);
  const named = operations.prose.match(/cron_store\.(?:\w+\.)?\w+|error\.type/g) ?? [];
  const all = Object.values(ATTRIBUTE);
  expect(all.filter((name) => ![...prefixed, ...named].includes(name))).toEqual([]);
  expect(prefixed.filter((name) => !all.some((known) => known === name))).toEqual([]);
});

/** What the store asks a meter for: name, kind and unit of each instrument. */
function createdInstruments(): readonly (readonly (string | undefined)[])[] {
  const created: (string | undefined)[][] = [];
  const meter = new Proxy<Partial<Meter>>(
    {},
    {
      get: (_target, method) => (name: string, options: { readonly unit?: string }) => {
        created.push([name, KINDS[String(method)], options.unit]);
      },
    },
  ) as Meter;
  void new RunMetrics(meter, { store: 'default', schema: 'public' }, []);
  void new StoreGauges(meter, {
    store: 'default',
    schema: 'public',
    slots: () => ({ used: 0, detached: 0, free: 0 }),
    load: () => Promise.reject(new Error('Nobody asks.')),
  });
  return created;
}
