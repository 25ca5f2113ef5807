import { inspect } from 'node:util';
import { IsInt, Min } from 'class-validator';
import { type Execution, type JsonValue, RUN_FAILED_EVENT, type RunFailedEvent } from '../../../lib/index.js';
import { createTestDatabase, type TestDatabase, untilTrue } from '../../support/database.js';
import { startStoreApp, type StoreApp } from '../../support/store-app.js';
import { job } from './support/jobs.js';
import { fire, NEVER } from './support/runs.js';

const LONGEST = 8_000;

const nothing = (): void => undefined;

const refuse = (): never => {
  throw new Error('not even this');
};

class Unreadable extends Error {
  override get message(): string {
    return refuse();
  }
}

class Days {
  @IsInt()
  @Min(1)
  days!: number;
}

describe('handlers that fail', () => {
  let database: TestDatabase;
  let node: StoreApp;
  let fail: (execution: Execution) => unknown = nothing;
  const decoded: unknown[] = [];
  const failures: RunFailedEvent[] = [];

  beforeAll(async () => {
    database = await createTestDatabase();
    node = await startStoreApp({
      url: database.url,
      providers: [
        job('fail', (execution) => fail(execution)),
        job({ name: 'decode', params: Days }, ({ params }) => decoded.push(params)),
        job('bind', async (execution) => decoded.push(await execution.bindParams(Days))),
      ],
    });
    node.events.on(RUN_FAILED_EVENT, (event: RunFailedEvent) => failures.push(event));
    await node.manager.create({ name: 'failing', jobName: 'fail', trigger: NEVER });
  });

  afterAll(async () => {
    await node.close();
    await database.drop();
  });

  async function fireWith(jobName: string, params: JsonValue | undefined) {
    const name = `${jobName} with ${JSON.stringify(params)}`;
    await node.manager.create({
      name,
      jobName,
      trigger: NEVER,
      ...(params === undefined ? {} : { params }),
    });
    return fire(node, name);
  }

  const thrown: readonly (readonly [string, unknown, string | RegExp])[] = [
    ['an error', new Error('no route to host'), 'no route to host'],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a string', 'no route to host', 'no route to host'],
    ['an empty string', '', /./],
    ['a number', 42, '42'],
    ['an object', { code: 42 }, '{ code: 42 }'],
    ['an error without a message', new Error(''), 'Error'],
    ['an error with NUL in it', new Error('a\0b'), 'a\u{FFFD}b'],
    ['an error with half a character in it', new Error('a\uD800b'), 'a\u{FFFD}b'],
    ['an error with a getter that throws', new Unreadable(), /./],
    ['an object whose inspection throws', { [inspect.custom]: refuse }, /./],
    ['an object whose inspection is empty', { [inspect.custom]: () => '' }, /./],
    ['a message of a megabyte', new Error('x'.repeat(1024 * 1024)), /^x+…$/],
    ['a function', refuse, /./],
  ];

  it.each(thrown)('are journaled when they throw %s', async (_, error, text) => {
    for (const throwIt of [
      () => {
        throw error;
      },
      async () => {
        await Promise.resolve();
        throw error;
      },
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors
      () => Promise.reject(error),
      () => ({
        // oxlint-disable-next-line unicorn/no-thenable
        then(_resolve: unknown, reject: (reason: unknown) => void) {
          reject(error);
        },
      }),
    ]) {
      fail = throwIt;
      const run = await fire(node, 'failing');
      expect(run.status).toBe('failed');
      expect(run.error).toMatch(text);
      expect(run.error?.length).toBeGreaterThan(0);
      expect(run.error?.length).toBeLessThanOrEqual(LONGEST);
      await untilTrue('the failure is told', () => failures.some(({ runId }) => runId === run.id));
    }
    expect(node.engine.status()).toMatchObject({ state: 'running', running: 0, detached: 0 });
  });

  it('do not stop the loop: the next fire succeeds', async () => {
    fail = nothing;
    expect(await fire(node, 'failing')).toMatchObject({ status: 'succeeded' });
  });

  describe('to get the params they need', () => {
    it.each([
      [undefined],
      [null],
      [[]],
      ['days'],
      [{}],
      [{ days: 0 }],
      [{ days: '7' }],
      [{ days: 7, dayz: 7 }],
    ])('are journaled without being invoked with %j', async (params) => {
      decoded.length = 0;
      const run = await fireWith('decode', params);
      expect(run).toMatchObject({ status: 'failed', error: expect.stringContaining('Days') });
      expect(decoded).toEqual([]);
    });

    it('are journaled when they bind them themselves and do not catch the error', async () => {
      decoded.length = 0;
      expect(await fireWith('bind', { days: 0 })).toMatchObject({
        status: 'failed',
        error: expect.stringContaining('days'),
      });
      expect(decoded).toEqual([]);
    });

    it.each(['decode', 'bind'])('are invoked with what fits (%s)', async (jobName) => {
      decoded.length = 0;
      expect(await fireWith(jobName, { days: 7 })).toMatchObject({ status: 'succeeded' });
      expect(decoded).toEqual([Object.assign(new Days(), { days: 7 })]);
    });
  });
});
