import { runInNewContext } from 'node:vm';
import { asError, codeOf, messageOf, stackOf } from '../../lib/error-reading.js';

const AGGREGATE = Object.assign(
  new AggregateError([
    new Error('connect ECONNREFUSED ::1:5432'),
    new Error('connect ECONNREFUSED 127.0.0.1:5432'),
  ]),
  { code: 'ECONNREFUSED' },
);

/** Refuses to be looked at. */
const UNREADABLE = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no');
    },
  },
);

describe('what an error says', () => {
  it.each<[string, unknown, string]>([
    ['its message', new TypeError('not a number'), 'not a number'],
    ['that of an error of another realm', runInNewContext('new Error("far away")'), 'far away'],
    [
      'the messages of its errors, where it has none',
      AGGREGATE,
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    ],
    ['its own message before those of its errors', new AggregateError([new Error('one')], 'both'), 'both'],
    ['its code, where it says nothing', Object.assign(new Error(), { code: 'EPIPE' }), 'EPIPE'],
    ['its name, where it says nothing at all', new RangeError(), 'RangeError'],
    ['itself, where it is a text', 'gone', 'gone'],
    ['nothing, where it is nothing', undefined, 'undefined'],
    ['that it cannot be read', UNREADABLE, 'an error that cannot be read'],
  ])('is %s', (_, thrown, message) => {
    expect(messageOf(thrown)).toBe(message);
  });
});

describe('the code of an error', () => {
  it.each<[string, unknown, string | number | undefined]>([
    ['its own', Object.assign(new Error(), { code: '23505' }), '23505'],
    ['that of the store', Object.assign(new Error(), { code: 2708 }), 2708],
    [
      'that of the driver’s error',
      Object.assign(new Error(), {
        code: 'other',
        driverError: Object.assign(new Error(), { code: '57P01' }),
      }),
      '57P01',
    ],
    ['none, where it is no word', Object.assign(new Error(), { code: {} }), undefined],
    ['none, where nothing was thrown', null, undefined],
    ['none, where it cannot be read', UNREADABLE, undefined],
  ])('is %s', (_, thrown, code) => {
    expect(codeOf(thrown)).toBe(code);
  });
});

it('finds the stack of an error, and none of anything else', () => {
  const error = new Error('failed');
  expect([error, 'failed', UNREADABLE].map(stackOf)).toEqual([error.stack, undefined, undefined]);
});

it('makes an error of what is none, with what was thrown as its cause', () => {
  const error = new Error('failed');
  expect(asError(error)).toBe(error);
  expect(asError('failed')).toMatchObject({ message: 'failed', cause: 'failed' });
});
