import { jest } from '@jest/globals';
import { EventEmitterModule } from '@nestjs/event-emitter';
import { Test } from '@nestjs/testing';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { JobHandler as Handler } from '../../lib/index.js';
import { createTestDatabase, options, type TestDatabase } from '../support/database.js';
import { QUICK } from '../support/store-app.js';

// As Node says it where an optional peer is not installed; before anything that may load it.
jest.unstable_mockModule('class-validator', () => {
  throw new Error("Cannot find package 'class-validator'");
});

const { CronStoreModule, JobHandler } = await import('../../lib/index.js');

class ReportParams {
  day = '';
}

@JobHandler({ name: 'report', params: ReportParams })
class Report implements Handler {
  execute() {
    return undefined;
  }
}

describe('without class-validator', () => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase();
  });

  afterEach(() => database.drop());

  it('a handler with a class for its params is refused at start-up, with what to install', async () => {
    const module = await Test.createTestingModule({
      imports: [
        TypeOrmModule.forRoot(options(database.url)),
        EventEmitterModule.forRoot(),
        CronStoreModule.forRoot(QUICK),
      ],
      providers: [Report],
    }).compile();
    await expect(module.init()).rejects.toMatchObject({
      message:
        'The job handler Report (RootTestModule) declares a class for its params, which needs the packages class-validator and class-transformer: run `npm install class-validator class-transformer`.',
    });
    await module.close();
  });
});
