// An application with the package, as Node itself loads it: a job, a fire, its event, the management API, a health check.
import 'reflect-metadata';
import assert from 'node:assert/strict';
import { type CanActivate, type ExecutionContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { EventEmitterModule, OnEvent } from '@nestjs/event-emitter';
import { TerminusModule } from '@nestjs/terminus';
import { TypeOrmModule } from '@nestjs/typeorm';
import { IsString } from 'class-validator';
import {
  CronStoreModule,
  type Execution,
  JobHandler,
  RUN_SUCCEEDED_EVENT,
  RunEvent,
} from 'nestjs-cron-store';
import { CronStoreHealth } from 'nestjs-cron-store/health';
import { CronStoreHealthIndicator } from 'nestjs-cron-store/health/terminus';
import { CronStoreTester } from 'nestjs-cron-store/testing';

class Greeting {
  @IsString()
  name!: string;
}

@Injectable()
@JobHandler({ name: 'greet', params: Greeting })
class Greeter implements JobHandler {
  readonly greeted: string[] = [];

  execute({ params }: Execution<Greeting>): void {
    this.greeted.push(params.name);
  }
}

@Injectable()
class Listener {
  readonly heard: string[] = [];

  @OnEvent(RUN_SUCCEEDED_EVENT)
  hear(event: RunEvent): void {
    this.heard.push(event.scheduleName);
  }
}

/** Lets everybody in, as a user who may look. */
@Injectable()
class Reception implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<{ user?: unknown }>();
    request.user = { id: 'visitor', permissions: ['cron.schedule.query'] };
    return true;
  }
}

@Module({
  imports: [
    TypeOrmModule.forRoot({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' }),
    EventEmitterModule.forRoot(),
    TerminusModule.forRoot({ logger: false }),
    CronStoreModule.forRoot({
      autoMigrate: true,
      pollInterval: 250,
      listen: process.env['LISTEN'] !== 'false',
      management: { guards: [Reception] },
    }),
  ],
  providers: [Greeter, Listener, CronStoreHealth, CronStoreHealthIndicator],
})
class AppModule {}

const app = await NestFactory.create(AppModule, { logger: ['error', 'warn'] });
await app.listen(0, '127.0.0.1');
try {
  const store = await CronStoreTester.on(app);
  const trigger = { kind: 'cron', expr: '0 0 1 1 *' } as const;
  await store.schedules.create({ name: 'greeting', jobName: 'greet', trigger, params: { name: 'world' } });
  assert.equal((await store.fireAndWait('greeting')).status, 'succeeded');
  assert.deepEqual(app.get(Greeter).greeted, ['world']);
  assert.deepEqual(app.get(Listener).heard, ['greeting']);

  const answer = await fetch(`${await app.getUrl()}/api/sys/cron/schedule/get`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ params: { name: 'greeting' } }),
  });
  const { data } = (await answer.json()) as {
    readonly data: { readonly schedule: { readonly jobName: string } };
  };
  assert.equal(data.schedule.jobName, 'greet');

  const health = await app.get(CronStoreHealthIndicator).isHealthy('store');
  assert.equal(health['store']?.status, 'up');
} finally {
  await app.close();
}
