import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test, type TestingModule } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { Provider } from '@nestjs/common';
import {
  CronStoreEngine,
  CronStoreModule,
  type CronStoreOptions,
  ScheduleManager,
} from '../../../../lib/index.js';
import { CronStoreHealth } from '../../../../lib/health/index.js';
import { options, type TestDatabase } from '../../../support/database.js';
import { QUICK } from '../../../support/store-app.js';

/** A line of the log. */
export interface Line {
  readonly level: string;
  readonly sentence: string;
}

/** Applications of several environments on databases of one test, and what they have logged: they share Nest's logger. */
export class EnvironmentApps {
  private readonly open = new Set<TestingModule>();
  private lines: Line[] = [];

  /** An application that is put together and has not looked at its store yet. */
  async compile(
    database: TestDatabase,
    store: CronStoreOptions,
    providers: readonly Provider[] = [],
  ): Promise<EnvironmentApp> {
    const note =
      (level: string) =>
      (sentence: unknown, ...more: readonly unknown[]) => {
        if (more.at(-1) === 'CronStore') {
          this.lines.push({ level, sentence: String(sentence) });
        }
      };
    const module = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot(options(database.url)),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot({ ...QUICK, ...store }),
      ],
      providers: [CronStoreHealth, ...providers],
    })
      .setLogger({ log: note('log'), warn: note('warn'), error: note('error') })
      .compile();
    this.open.add(module);
    return new EnvironmentApp(module);
  }

  /** An application that has started. */
  async start(
    database: TestDatabase,
    store: CronStoreOptions,
    providers: readonly Provider[] = [],
  ): Promise<EnvironmentApp> {
    const app = await this.compile(database, store, providers);
    await app.module.init();
    return app;
  }

  /** The sentences of a level that are about whose a store is. */
  said(level: string): readonly string[] {
    return this.lines
      .filter((line) => line.level === level && /environment|claim/i.test(line.sentence))
      .map(({ sentence }) => sentence);
  }

  async closeAll(): Promise<void> {
    await Promise.all([...this.open].map((module) => module.close()));
    this.open.clear();
    this.lines = [];
  }
}

/** One application. */
export class EnvironmentApp {
  constructor(readonly module: TestingModule) {}

  get manager(): ScheduleManager {
    return this.module.get(ScheduleManager);
  }

  get engine(): CronStoreEngine {
    return this.module.get(CronStoreEngine);
  }

  get health(): CronStoreHealth {
    return this.module.get(CronStoreHealth);
  }
}

/** Whose a store is, as it is written down. */
export async function storedEnvironment(database: TestDatabase): Promise<string | null | undefined> {
  const [row] = await database.query<{ environment: string | null }>('select environment from crn_store');
  return row?.environment;
}

/** The actions of a kind that are on record. */
export async function audited(database: TestDatabase, action: string): Promise<readonly unknown[]> {
  return database.query(
    'select actor_id, outcome, code, before, after from crn_audit where action = $1 order by id',
    [action],
  );
}
