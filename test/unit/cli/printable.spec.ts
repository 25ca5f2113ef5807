import { instantText, members, printable, table } from '../../../lib/cli/printable.js';

describe('printable', () => {
  it.each([
    ['plain', 'plain'],
    ['two\nlines\r\n', 'two lines'],
    ['\u001B[31mred\u001B[0m', '[31mred [0m'],
    ['a\u2028b\u0085c\u0000d', 'a b c d'],
    ['größer 時間', 'größer 時間'],
  ])('shows %j as %j', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });
});

it('shows instants in UTC, milliseconds only where there are some', () => {
  expect(instantText(0)).toBe('1970-01-01T00:00:00Z');
  expect(instantText(1)).toBe('1970-01-01T00:00:00.001Z');
  expect(instantText(undefined)).toBe('');
});

it('lines columns up', () => {
  expect(
    table(
      ['A', 'LONG'],
      [
        ['wide cell', 'x'],
        ['y', 'two\nlines'],
      ],
    ),
  ).toBe('A          LONG\nwide cell  x\ny          two lines\n');
});

it('shows members on a line each, instants as times', () => {
  expect(
    members({
      name: 'n',
      count: 0,
      params: { a: [1] },
      atUnixMs: 0,
      nextFiresUnixMs: [0, 1_000],
      noneUnixMs: [],
    }),
  ).toBe(
    [
      'name       n',
      'count      0',
      'params     {"a":[1]}',
      'at         1970-01-01T00:00:00Z',
      'nextFires  1970-01-01T00:00:00Z, 1970-01-01T00:00:01Z',
      'none       none',
      '',
    ].join('\n'),
  );
});
