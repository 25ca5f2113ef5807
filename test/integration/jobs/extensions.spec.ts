import { Logger, Module, type Provider } from '@nestjs/common';
import { jest } from '@jest/globals';
import {
  type Claim,
  type ClaimIntent,
  ClaimObserver,
  type Execution,
  ExtensionInvalidError,
  RunInterceptor,
} from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { GatedJob, job } from '../engine/support/jobs.js';
import { fire, NEVER, runsOf } from '../engine/support/runs.js';

describe('around runs and claims', () => {
  let database: TestDatabase;
  let node: StoreApp;
  const steps: string[] = [];
  const seen: unknown[] = [];
  const gated = new GatedJob('gated');

  class Noting extends RunInterceptor {
    async intercept({ scheduleName }: Execution, next: () => Promise<unknown>): Promise<unknown> {
      steps.push(`${this.constructor.name} before ${scheduleName}`);
      try {
        return await next();
      } finally {
        steps.push(`${this.constructor.name} after ${scheduleName}`);
      }
    }
  }
  class Tenants extends Noting {
    override readonly order = -1;
  }
  class Tracing extends Noting {}

  /** Does with the runs of some schedules what interceptors had better not do. */
  class Unruly extends RunInterceptor {
    override readonly order = 1;

    async intercept(execution: Execution, next: () => Promise<unknown>): Promise<unknown> {
      switch (execution.scheduleName) {
        case 'refused':
          throw new Error('no tenant');
        case 'passed over':
          return undefined;
        case 'swallowed':
          return next().catch(() => 'all is well');
        case 'spoilt':
          await next();
          throw new Error('no trace');
        case 'hanging':
          return new Promise(() => undefined);
        case 'tampered':
          (execution.params as { tags: string[] }).tags.push('tampered');
          expect(() => Object.assign(execution, { idempotencyKey: 'another', attempt: 9 })).toThrow(
            TypeError,
          );
          return next();
        default:
          return next();
      }
    }
  }

  class Counting extends ClaimObserver {
    readonly intents: ClaimIntent[] = [];
    readonly claims: Claim[] = [];

    override beforeClaim(intent: ClaimIntent): void {
      this.intents.push(intent);
    }

    override afterClaim(claim: Claim): void {
      this.claims.push(claim);
    }
  }
  class Troublesome extends ClaimObserver {
    override readonly order = -1;

    override beforeClaim(): void {
      throw new Error('not now');
    }

    override afterClaim(): Promise<void> {
      return new Promise(() => undefined);
    }
  }
  const counting = new Counting();
  const logged = jest.fn<(message: unknown) => void>();

  @Module({ providers: [{ provide: RunInterceptor, useFactory: () => [new Tracing(), new Unruly()] }] })
  class Observability {}

  beforeAll(async () => {
    jest.spyOn(Logger.prototype, 'warn').mockImplementation(logged);
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      imports: [Observability],
      providers: [
        Tenants,
        Troublesome,
        { provide: ClaimObserver, useValue: counting },
        gated.provider,
        job('work', ({ params, scheduleName, occurrence }) => {
          steps.push(`handler of ${scheduleName}`);
          seen.push(params, occurrence);
          if (scheduleName === 'swallowed' || scheduleName === 'tampered') {
            throw new Error('the work failed');
          }
        }),
      ],
    });
  });

  beforeEach(() => {
    steps.length = 0;
    seen.length = 0;
  });

  afterAll(async () => {
    gated.gate.open();
    await node.close();
    await database.drop();
    jest.restoreAllMocks();
  });

  it('surround every run in their order, wherever they are provided', async () => {
    await node.manager.create({ name: 'plain', jobName: 'work', trigger: NEVER });
    expect(await fire(node, 'plain')).toMatchObject({ status: 'succeeded' });
    expect(steps).toEqual([
      'Tenants before plain',
      'Tracing before plain',
      'handler of plain',
      'Tracing after plain',
      'Tenants after plain',
    ]);
  });

  it.each([
    ['refused', 'interceptor_error', 'The run interceptor Unruly failed: no tenant', 0],
    [
      'passed over',
      'interceptor_error',
      expect.stringContaining('Unruly returned without calling next()'),
      0,
    ],
    ['swallowed', 'handler_error', 'the work failed', 1],
    ['spoilt', 'interceptor_error', 'The run interceptor Unruly failed: no trace', 1],
  ])('end a run that is %s in the journal, for its reason', async (name, reason, error, invocations) => {
    await node.manager.create({ name, jobName: 'work', trigger: NEVER });
    expect(await fire(node, name)).toMatchObject({ status: 'failed', reason, error });
    expect(steps.filter((step) => step.startsWith('handler'))).toHaveLength(invocations);
  });

  it('are bounded by the timeout of the run', async () => {
    await node.manager.create({ name: 'hanging', jobName: 'work', trigger: NEVER, timeout: 100 });
    expect(await fire(node, 'hanging')).toMatchObject({ status: 'failed', reason: 'timeout' });
    expect(steps).not.toContain('handler of hanging');
  });

  it('change nothing of what is journaled or tried again by changing what they are given', async () => {
    await node.manager.create({
      name: 'tampered',
      jobName: 'work',
      trigger: NEVER,
      retry: { maxAttempts: 2, backoffMs: 0 },
    });
    const { requestId } = await node.manager.triggerNow('tampered', { params: { tags: ['a'] } });
    await untilTrue(
      'both attempts failed',
      async () => (await runsOf(node, 'tampered', 'failed')).length === 2,
    );
    expect(await runsOf(node, 'tampered')).toMatchObject([
      { attempt: 1, idempotencyKey: requestId },
      { attempt: 2, idempotencyKey: requestId },
    ]);
    // Each attempt was spoilt anew, from the same beginning.
    expect(seen).toEqual([{ tags: ['a', 'tampered'] }, undefined, { tags: ['a', 'tampered'] }, undefined]);
    const stored = await database.query(`select params from crn_run where schedule_name = 'tampered'`);
    expect(stored).toEqual([{ params: { tags: ['a'] } }, { params: { tags: ['a'] } }]);
  });

  it('know the occurrence that a run is for', async () => {
    const { id, createdAtUnixMs } = await node.manager.create({
      name: 'ticking',
      jobName: 'work',
      trigger: { kind: 'interval', everyMs: 86_400_000 },
    });
    await database.query('update crn_schedule set next_fire_at_unix_ms = created_at_unix_ms where id = $1', [
      id,
    ]);
    await untilTrue('it has fired', async () => (await runsOf(node, 'ticking', 'succeeded')).length === 1);
    const occurrence = { scheduleId: id, atUnixMs: createdAtUnixMs };
    expect(seen).toEqual([undefined, occurrence]);
    const [run] = await runsOf(node, 'ticking');
    await untilTrue('it is told', () => counting.claims.some(({ runId }) => runId === run?.id));
    expect(counting.claims.filter(({ scheduleName }) => scheduleName === 'ticking')).toEqual([
      {
        store: 'default',
        nodeId: node.engine.status().nodeId,
        runId: run?.id,
        scheduleId: id,
        scheduleName: 'ticking',
        jobName: 'work',
        origin: 'schedule',
        occurrence,
        scheduledAtUnixMs: createdAtUnixMs,
        claimedAtUnixMs: run?.claimedAtUnixMs,
        attempt: 1,
        idempotencyKey: run?.idempotencyKey,
      },
    ]);
  });

  it('are told what the node asks for: its jobs, and the slots that are free', async () => {
    await node.manager.create({ name: 'occupying', jobName: 'gated', trigger: NEVER });
    await node.manager.triggerNow('occupying');
    await untilTrue('its slot is taken', () => gated.executions.length === 1);
    counting.intents.length = 0;
    await node.engine.runOnce();
    const { slots, detached, nodeId } = node.engine.status();
    expect(counting.intents.at(-1)).toEqual({
      store: 'default',
      nodeId,
      jobNames: ['gated', 'work'],
      slots: slots - detached - 1,
    });
    gated.gate.open();
  });

  it('neither stop the loop nor each other where they throw or hang', async () => {
    await node.manager.create({ name: 'untroubled', jobName: 'work', trigger: NEVER });
    counting.claims.length = 0;
    expect(await fire(node, 'untroubled')).toMatchObject({ status: 'succeeded' });
    expect(counting.claims).toMatchObject([{ scheduleName: 'untroubled', origin: 'manual' }]);
    expect(counting.claims[0]).not.toHaveProperty('occurrence');
    expect(logged).toHaveBeenCalledWith('The claim observer Troublesome failed: not now', {
      nodeId: node.engine.status().nodeId,
    });
  });

  it.each<[string, Provider]>([
    ['interceptor', { provide: RunInterceptor, useValue: {} }],
    ['observer', { provide: ClaimObserver, useValue: [new Counting(), {}] }],
  ])('fail the boot where what is provided is no %s', async (_kind, provider) => {
    await expect(startStoreApp({ url: database.url, providers: [provider] })).rejects.toThrow(
      ExtensionInvalidError,
    );
  });
});
