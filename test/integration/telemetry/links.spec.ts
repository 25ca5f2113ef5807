import { Logger } from '@nestjs/common';
import { context, trace, type Span } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { every } from '../../../lib/index.js';
import { CronStoreTester, ManualStoreClock } from '../../../lib/testing/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { NEVER } from '../engine/support/runs.js';
import { startTelemetry, type Telemetry } from './support/telemetry.js';

describe('links between traces', () => {
  let telemetry: Telemetry;
  let database: TestDatabase;
  let node: StoreApp;
  let store: CronStoreTester;
  const slow = new GatedJob('slow');

  beforeAll(async () => {
    Logger.overrideLogger(['fatal']);
    telemetry = startTelemetry();
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      clock: new ManualStoreClock(),
      providers: [
        slow.provider,
        job('good', () => undefined),
        job('bad', () => {
          throw new Error('no');
        }),
      ],
    });
    store = await CronStoreTester.on(node.app);
  });

  afterAll(async () => {
    await node.close();
    await telemetry.shutdown();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  async function spanOf(runId: string | undefined): Promise<ReadableSpan> {
    const find = () => telemetry.spans().filter((span) => span.attributes['cron_store.run.id'] === runId);
    await untilTrue('the span of the run has ended', () => find().length > 0);
    const [span] = find();
    if (span === undefined) {
      throw new Error('It was there a moment ago.');
    }
    return span;
  }

  it('lead from a manual fire to the request that asked for it', async () => {
    await store.schedules.create({ name: 'manual', jobName: 'good', trigger: NEVER });
    const { result: run, request } = await inRequest(() => store.fireAndWait('manual'));
    expect(linksOf(await spanOf(run.id))).toEqual([nameOf(request)]);
  });

  it('lead from the repetition of a run to the request that asked for it', async () => {
    const first = await store.fireAndWait('manual');
    const { request } = await inRequest(() => store.schedules.rerun(first.id));
    const [again] = await store.drain();
    expect(linksOf(await spanOf(again?.id))).toEqual([nameOf(request)]);
  });

  it('lead from a retry to the attempt that failed', async () => {
    const retry = { maxAttempts: 3, backoffMs: 1_000 };
    await store.schedules.create({ name: 'retried', jobName: 'bad', trigger: NEVER, retry });
    const { result: first } = await inRequest(() => store.fireAndWait('retried'));
    const attempts = [first, ...(await store.runFor('1m'))];
    expect(attempts).toHaveLength(3);
    const spans = await Promise.all(attempts.map(({ id }) => spanOf(id)));
    expect(spans.slice(1).flatMap(linksOf)).toEqual(spans.slice(0, 2).map(nameOf));
    expect(new Set(spans.map((span) => span.spanContext().traceId)).size).toBe(3);
  });

  it('lead from a recovery to what asked for the first attempt, whose span died with its node', async () => {
    await store.schedules.create({ name: 'fragile', jobName: 'slow', trigger: NEVER, recover: true });
    const { request } = await inRequest(() => store.start('fragile'));
    await store.crash('fragile');
    slow.gate.open();
    const [recovery] = await store.drain();
    expect(linksOf(await spanOf(recovery?.id))).toEqual([nameOf(request)]);
  });

  it('lead nowhere from what only time has caused', async () => {
    await store.schedules.create({ name: 'regular', jobName: 'good', trigger: every('1h') });
    const [regular] = await store.runFor('1h');
    expect(linksOf(await spanOf(regular?.id))).toEqual([]);
  });
});

function linksOf(span: ReadableSpan): readonly string[] {
  return span.links.map((link) => `${link.context.traceId} ${link.context.spanId}`);
}

function nameOf(span: Pick<Span, 'spanContext'>): string {
  const { traceId, spanId } = span.spanContext();
  return `${traceId} ${spanId}`;
}

/** Does something within a span, as the requests of an instrumented application do. */
async function inRequest<Result>(
  work: () => Promise<Result>,
): Promise<{ readonly result: Result; readonly request: Span }> {
  const request = trace.getTracer('application').startSpan('request');
  const result = await context.with(trace.setSpan(context.active(), request), work);
  request.end();
  return { result, request };
}
