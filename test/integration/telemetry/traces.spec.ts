import { Logger } from '@nestjs/common';
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { ReadableSpan } from '@opentelemetry/sdk-trace-node';
import { setTimeout as delay } from 'node:timers/promises';
import type { Execution } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { fire, NEVER, runsOf, untilOver } from '../engine/support/runs.js';
import { startTelemetry, type Telemetry } from './support/telemetry.js';

class PaymentRefusedError extends Error {
  override readonly name = 'the card number is 4111';
}

describe('traces', () => {
  let telemetry: Telemetry;
  let database: TestDatabase;
  let node: StoreApp;
  let handled: Execution | undefined;
  const slow = new GatedJob('slow');

  beforeAll(async () => {
    Logger.overrideLogger(['fatal']);
    telemetry = startTelemetry();
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      store: { heartbeatInterval: 50 },
      providers: [
        slow.provider,
        job('good', async (execution) => {
          await delay(1);
          trace.getTracer('application').startSpan('inner').end();
          handled = execution;
        }),
        job('bad', () => {
          throw new PaymentRefusedError('the card number is 4111');
        }),
        job({ name: 'transactional', transactional: true }, () => {
          trace.getTracer('application').startSpan('inside').end();
        }),
      ],
    });
  });

  afterAll(async () => {
    slow.gate.open();
    await node.close();
    await telemetry.shutdown();
    await database.drop();
    Logger.overrideLogger(['error', 'warn', 'log']);
  });

  /** The finished spans of a name, once there is one. */
  async function spansNamed(name: string, count = 1): Promise<readonly ReadableSpan[]> {
    const named = () => telemetry.spans().filter((span) => span.name === name);
    await untilTrue(`${count} spans ${name} have ended`, () => named().length >= count);
    return named();
  }

  it('have a span for each run, which is the context of its handler', async () => {
    await node.manager.create({ name: 'nightly', jobName: 'good', trigger: NEVER });
    const run = await fire(node, 'nightly');

    const [span] = await spansNamed('run good');
    expect(span).toMatchObject({
      kind: SpanKind.CONSUMER,
      parentSpanContext: undefined,
      instrumentationScope: { name: 'nestjs-cron-store' },
      status: { code: SpanStatusCode.UNSET },
    });
    expect(span?.attributes).toEqual({
      'cron_store.name': 'default',
      'cron_store.job.name': 'good',
      'cron_store.schedule.id': run.scheduleId,
      'cron_store.schedule.name': 'nightly',
      'cron_store.run.id': run.id,
      'cron_store.run.origin': 'manual',
      'cron_store.run.attempt': 1,
      'cron_store.run.scheduled_at': handled?.scheduledAt.toISOString(),
      'cron_store.node.id': run.nodeId,
      'cron_store.run.status': 'succeeded',
    });
    const [inner] = await spansNamed('inner');
    expect(inner?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
  });

  it('surround transactional handlers', async () => {
    await node.manager.create({ name: 'transactional', jobName: 'transactional', trigger: NEVER });
    await fire(node, 'transactional');

    const [span] = await spansNamed('run transactional');
    const [inside] = await spansNamed('inside');
    expect(inside?.parentSpanContext?.spanId).toBe(span?.spanContext().spanId);
    expect(span?.attributes).toMatchObject({ 'cron_store.run.status': 'succeeded' });
  });

  it('say of an error what class it is of, and nothing that it says', async () => {
    await node.manager.create({ name: 'bad', jobName: 'bad', trigger: NEVER });
    await fire(node, 'bad');

    const [span] = await spansNamed('run bad');
    expect(span?.status).toEqual({ code: SpanStatusCode.ERROR, message: 'handler_error' });
    expect(span?.attributes).toMatchObject({
      'cron_store.run.status': 'failed',
      'cron_store.run.reason': 'handler_error',
      'error.type': 'PaymentRefusedError',
    });
    expect(JSON.stringify([span?.attributes, span?.events, span?.status])).not.toContain('4111');
  });

  it('end when the outcome is decided, whatever the handler still does', async () => {
    await node.manager.create({ name: 'hangs', jobName: 'slow', trigger: NEVER, timeout: '50ms' });
    await fire(node, 'hangs');

    expect(node.engine.status().detached).toBe(1);
    const [span] = await spansNamed('run slow');
    expect(span?.attributes).toMatchObject({ 'cron_store.run.reason': 'timeout', 'error.type': 'timeout' });
    await node.manager.delete('hangs');
    slow.gate.open();
    await untilTrue('its slot is free', () => node.engine.status().detached === 0);
    slow.gate.close();
  });

  it('say of a canceled run that it is no error', async () => {
    await node.manager.create({ name: 'canceled', jobName: 'slow', trigger: NEVER });
    await node.manager.triggerNow('canceled');
    await untilTrue('it runs', async () => (await runsOf(node, 'canceled', 'running')).length === 1);
    const [run] = await runsOf(node, 'canceled');
    await node.manager.cancelRun(run?.id ?? '');
    await untilOver(node, 'canceled');
    slow.gate.open();

    const span = (await spansNamed('run slow', 2)).at(-1);
    expect(span?.status).toEqual({ code: SpanStatusCode.UNSET });
    expect(span?.attributes).toMatchObject({
      'cron_store.run.status': 'canceled',
      'cron_store.run.reason': 'operator',
    });
    slow.gate.close();
  });

  it('tell that a run was taken over', async () => {
    await node.manager.create({ name: 'lost', jobName: 'slow', trigger: NEVER });
    await node.manager.triggerNow('lost');
    await untilTrue('it runs', async () => (await runsOf(node, 'lost', 'running')).length === 1);
    await database.query(
      `update crn_run set status = 'abandoned' where schedule_name = 'lost' and status = 'running'`,
    );
    await untilTrue('the node knows', () => slow.of('lost')[0]?.signal.aborted === true);

    const span = (await spansNamed('run slow', 3)).at(-1);
    expect(span?.attributes).toMatchObject({
      'cron_store.run.status': 'abandoned',
      'cron_store.run.reason': 'heartbeat_lost',
      'error.type': 'heartbeat_lost',
    });
    slow.gate.open();
  });

  it('are no part of whatever wakes the engine', async () => {
    const request = trace.getTracer('application').startSpan('request');
    await context.with(trace.setSpan(context.active(), request), async () => {
      await node.manager.triggerNow('nightly');
      await node.engine.runOnce();
    });
    request.end();

    const span = (await spansNamed('run good', 2)).at(-1);
    expect(span?.parentSpanContext).toBeUndefined();
    expect(span?.spanContext().traceId).not.toBe(request.spanContext().traceId);
  });
});
