import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTestDatabase, type TestDatabase, untilTrue } from '../support/database.js';
import { freePort } from '../support/free-port.js';
import { SampleProcess } from './sample-process.js';

const FOLDER = join(import.meta.dirname, '../../sample/04-metrics');

/** One line of a scrape: a series and its value. */
interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

describe('the metrics sample', () => {
  let database: TestDatabase;
  let url: string;
  let sample: SampleProcess;

  beforeAll(async () => {
    database = await createTestDatabase();
    const port = await freePort();
    url = `http://127.0.0.1:${port}/metrics`;
    sample = new SampleProcess('04-metrics/start.mjs', {
      DATABASE_URL: database.url,
      METRICS_PORT: String(port),
    });
    await sample.said(/Metrics are served at/);
    await untilTrue('a run is over', async () =>
      (await scrape()).some(({ name, value }) => name === 'cron_store_run_lateness_count' && value > 0),
    );
  }, 130_000);

  afterAll(async () => {
    await sample.stop();
    await database.drop();
  });

  async function scrape(): Promise<readonly Sample[]> {
    const response = await fetch(url);
    const lines = (await response.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    return lines.map(sampleOf);
  }

  it('works: its jobs run, and the probe answers', async () => {
    await untilTrue('both jobs have succeeded', async () => {
      const succeeded = (await scrape()).filter(
        ({ name, labels, value }) =>
          name === 'cron_store_runs_total' && labels['cron_store_run_status'] === 'succeeded' && value > 0,
      );
      return succeeded.length === 2;
    });
    expect((await scrape()).find(({ name }) => name === 'sample_tables_size')?.value).toBeGreaterThan(0);
  });

  it.each(['grafana/dashboard.json', 'prometheus/alerts.yml'])(
    'exports every metric and label that %s asks for',
    async (file) => {
      const samples = await scrape();
      const queries = expressionsOf(await readFile(join(FOLDER, file), 'utf8'));
      expect(queries.length).toBeGreaterThan(5);
      for (const query of queries) {
        const grouping = [...query.matchAll(/ by \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '));
        for (const { pattern, labels } of selectorsIn(query)) {
          const series = samples.filter(({ name }) => pattern.test(name));
          expect([query, pattern, series.length > 0]).toEqual([query, pattern, true]);
          const known = new Set(series.flatMap((each) => Object.keys(each.labels)));
          const unknown = [...labels, ...grouping].filter((label) => !known.has(label));
          expect([query, unknown]).toEqual([query, []]);
        }
      }
    },
  );

  it('has a dashboard whose panels have names and places of their own', async () => {
    const { panels }: { panels: readonly Panel[] } = JSON.parse(
      await readFile(join(FOLDER, 'grafana/dashboard.json'), 'utf8'),
    );
    expect(new Set(panels.map(({ title }) => title)).size).toBe(panels.length);
    expect(new Set(panels.map(({ gridPos: { x, y } }) => `${x} ${y}`)).size).toBe(panels.length);
    expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  });
});

interface Panel {
  readonly title: string;
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number };
}

/** The PromQL of a dashboard or of alert rules. */
function expressionsOf(text: string): readonly string[] {
  return text.startsWith('{')
    ? [...text.matchAll(/"(?:expr|query)": ("(?:[^"\\]|\\.)*cron_store(?:[^"\\]|\\.)*")/g)].map(
        ([, json = '']) => JSON.parse(json) as string,
      )
    : [...text.matchAll(/^ +expr: (.*(?:\n {10}.*)*)/gm)].map(([, expression = '']) => expression);
}

/** What a query asks for: metrics by name or by a pattern of names, and the labels by which they are selected. */
function selectorsIn(
  query: string,
): readonly { readonly pattern: RegExp; readonly labels: readonly string[] }[] {
  const selectors = query
    .replace(/^label_values\((\w+), (\w+)\)$/, '$1{$2=""}')
    .replaceAll(/ by \([^)]*\)/g, '')
    .matchAll(/(cron_store_\w+)?\{([^}]*)\}|(cron_store_\w+)/g);
  return [...selectors].map(([, named, matchers = '', bare]) => {
    const labels = [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)];
    const pattern = labels.find(([, label]) => label === '__name__')?.[2];
    return {
      pattern: new RegExp(`^(?:${named ?? bare ?? pattern ?? ''})$`),
      labels: labels.flatMap(([, label = '']) => (label === '__name__' ? [] : [label])),
    };
  });
}

function sampleOf(line: string): Sample {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)/.exec(line) ?? [];
  return {
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]),
    ),
    value: Number(value),
  };
}
