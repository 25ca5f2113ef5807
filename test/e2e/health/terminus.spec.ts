import { Controller, Get, Inject, type INestApplication } from '@nestjs/common';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { HealthCheck, HealthCheckService, HealthIndicatorService, TerminusModule } from '@nestjs/terminus';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import { CronStoreHealth } from '../../../lib/health/index.js';
import { CronStoreHealthIndicator } from '../../../lib/health/terminus.js';
import { CronStoreModule, JobHandlerRegistry } from '../../../lib/index.js';
import { DatabaseProxy } from '../../cluster/support/database-proxy.js';
import { createTestDatabase, options, type TestDatabase, untilTrue } from '../../support/database.js';
import { QUICK } from '../../support/store-app.js';

/** What the check answered, and how. */
interface Answer {
  readonly httpStatus: number;
  readonly status: string;
  readonly details: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

@Controller('health')
class HealthController {
  constructor(
    @Inject(HealthCheckService) private readonly health: HealthCheckService,
    @Inject(CronStoreHealthIndicator) private readonly cronStore: CronStoreHealthIndicator,
  ) {}

  @Get()
  @HealthCheck()
  check() {
    return this.health.check([() => this.cronStore.isHealthy('cron-store', { timeout: '1s' })]);
  }
}

describe('a health endpoint of Terminus', () => {
  let database: TestDatabase;
  let way: DatabaseProxy;
  let app: INestApplication;

  beforeAll(async () => {
    database = await createTestDatabase();
    way = await DatabaseProxy.open(database.url);
    const module = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot(options(way.url)),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(QUICK),
        TerminusModule.forRoot({ logger: false }),
      ],
      controllers: [HealthController],
      providers: [
        CronStoreHealth,
        CronStoreHealthIndicator,
        {
          provide: 'jobs',
          inject: [JobHandlerRegistry],
          useFactory: (registry: JobHandlerRegistry) =>
            registry.register({ name: 'work', execute: () => undefined }),
        },
      ],
    }).compile();
    app = module.createNestApplication({ logger: false });
    await app.listen(0);
  });

  afterAll(async () => {
    await app.close();
    await way.close();
    await database.drop();
  });

  async function check(): Promise<Answer> {
    const response = await fetch(`${await app.getUrl()}/health`);
    return { httpStatus: response.status, ...((await response.json()) as Omit<Answer, 'httpStatus'>) };
  }

  async function untilHttpStatus(httpStatus: number, status: string): Promise<Answer> {
    let answer = await check();
    await untilTrue(`it answers ${httpStatus} ${status}`, async () => {
      answer = await check();
      return answer.httpStatus === httpStatus && answer.status === status;
    });
    return answer;
  }

  it('is green, with the report as its details', async () => {
    const { details } = await untilHttpStatus(200, 'ok');
    expect(details['cron-store']).toEqual({
      status: 'up',
      reasons: [],
      state: 'running',
      nodeId: expect.any(String),
      lastPassAgeMs: expect.any(Number),
      lagMs: 0,
      slots: 16,
      running: 0,
      detached: 0,
      schemaVersion: expect.any(String),
    });
  });

  it('is degraded, and does not fail, while something is tried again', async () => {
    await database.query('alter table crn_node rename to crn_node_away');
    let answer = await check();
    await untilTrue('the reason is told', async () => {
      answer = await check();
      return String(answer.details['cron-store']?.['reasons']) === 'heartbeat_failed';
    });
    // Terminus 11 does not know it.
    const knowsDegraded = 'degraded' in app.get(HealthIndicatorService).check('any');
    expect(answer).toMatchObject({ httpStatus: 200, status: knowsDegraded ? 'degraded' : 'ok' });
    expect(answer.details['cron-store']?.['status']).toBe(knowsDegraded ? 'degraded' : 'up');
    await database.query('alter table crn_node_away rename to crn_node');
    await untilHttpStatus(200, 'ok');
  });

  it('is red while the database is unreachable, and green again', async () => {
    way.blackHole();
    const { details } = await untilHttpStatus(503, 'error');
    expect(details['cron-store']).toMatchObject({ status: 'down' });
    expect(details['cron-store']?.['reasons']).toContain('database_unreachable');
    way.passOn();
    await untilHttpStatus(200, 'ok');
  });
});
