import { inspect } from 'node:util';
import { errorText } from '../../../lib/engine/execution/error-text.js';
import { MAX_ERROR_LENGTH } from '../../../lib/storage/index.js';

const refuse = (): never => {
  throw new Error('not even this');
};

class Unreadable extends Error {
  override get message(): string {
    return refuse();
  }
}

describe('errorText', () => {
  it.each([
    ['an error', new Error('no route to host'), 'no route to host'],
    ['an error without a message', new TypeError(''), 'TypeError'],
    ['a string', 'no route to host', 'no route to host'],
    ['an empty string', '', "''"],
    ['null', null, 'null'],
    ['undefined', undefined, 'undefined'],
    ['a number', 42, '42'],
    ['an object', { code: 42 }, '{ code: 42 }'],
    ['a message with NUL', new Error('a\0b'), 'a\u{FFFD}b'],
    ['a message that is no string', Object.assign(new Error(), { message: Symbol('m') }), 'Symbol(m)'],
    [
      'an error that throws when it is read',
      new Unreadable(),
      'The handler threw something that cannot be described.',
    ],
    [
      'an object that throws when it is inspected',
      { [inspect.custom]: refuse },
      'The handler threw something that cannot be described.',
    ],
    [
      'a proxy that throws whatever is asked',
      new Proxy({}, { get: refuse, getPrototypeOf: refuse, ownKeys: refuse }),
      'The handler threw something that cannot be described.',
    ],
    [
      'an object that says nothing of itself',
      { [inspect.custom]: () => '' },
      'The handler threw something that cannot be described.',
    ],
    ['an error without any text', Object.assign(new Error(''), { name: '' }), 'Error'],
  ])('describes %s', (_, thrown, text) => {
    expect(errorText(thrown)).toBe(text);
  });

  it('cuts what is too long', () => {
    const text = errorText(new Error('x'.repeat(1024 * 1024)));
    expect(text).toHaveLength(MAX_ERROR_LENGTH);
    expect(text.endsWith('x…')).toBe(true);
  });

  it('keeps what is just short enough', () => {
    expect(errorText('x'.repeat(MAX_ERROR_LENGTH))).toHaveLength(MAX_ERROR_LENGTH);
  });
});
