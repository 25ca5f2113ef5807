import fc from 'fast-check';
import { ScheduleInvalidError } from '../../../lib/schedules/index.js';
import { MAX_PARAMS_BYTES, MAX_PARAMS_DEPTH, serializeParams } from '../../../lib/schedules/params.js';

/** What a handler gets for params that were given. */
function roundTrip(params: unknown): unknown {
  const text = serializeParams(params);
  return text === undefined ? undefined : JSON.parse(text);
}

function nested(levels: number): unknown {
  let value: unknown = 'bottom';
  for (let level = 0; level < levels; level += 1) {
    value = level % 2 === 0 ? [value] : { value };
  }
  return value;
}

describe('serializeParams', () => {
  it('keeps none apart from null', () => {
    expect(serializeParams(undefined)).toBeUndefined();
    expect(serializeParams(null)).toBe('null');
  });

  it.each([
    0,
    -1.5,
    Number.MAX_VALUE,
    Number.MIN_VALUE,
    true,
    false,
    '',
    'text',
    [],
    {},
    [[]],
    [null, { a: [] }],
  ])('delivers %j as it was given', (params) => {
    expect(roundTrip(params)).toEqual(params);
  });

  it.each(['nul \0 inside', 'lone \uD800 surrogate', '\u2028 \u202E \u{1F680}', '"\\'])(
    'delivers the string %j as it was given, as a value and as a key',
    (text) => {
      expect(roundTrip({ [text]: text })).toEqual({ [text]: text });
    },
  );

  it('delivers whatever JSON can carry', () => {
    fc.assert(
      fc.property(fc.jsonValue({ noUnicodeString: false }), (params) => {
        expect(roundTrip(params)).toEqual(JSON.parse(JSON.stringify(params)));
      }),
    );
  });

  it('keeps a key named __proto__ as data, and no prototype comes of it', () => {
    const delivered = roundTrip(JSON.parse('{"__proto__":{"isAdmin":true},"a":1}'));

    expect(Object.keys(delivered as object)).toEqual(['__proto__', 'a']);
    expect((delivered as { isAdmin?: unknown }).isAdmin).toBeUndefined();
    expect(Object.getPrototypeOf(delivered)).toBe(Object.prototype);
  });

  it('drops members that are undefined, as JSON does', () => {
    expect(roundTrip({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  it('takes the JSON form of what has one, such as dates', () => {
    expect(roundTrip({ at: new Date(0), of: [{ toJSON: () => ({ nested: new Date(1) }) }] })).toEqual({
      at: '1970-01-01T00:00:00.000Z',
      of: [{ nested: '1970-01-01T00:00:00.001Z' }],
    });
  });

  it('takes instances of classes by their own members, and objects without prototype', () => {
    class Report {
      readonly format = 'pdf';
    }
    const bare: Record<string, unknown> = Object.create(null);
    bare['a'] = 1;

    expect(roundTrip([new Report(), bare])).toEqual([{ format: 'pdf' }, { a: 1 }]);
  });

  it('accepts the same object twice: only a cycle cannot be carried', () => {
    const shared = { a: 1 };

    expect(roundTrip([shared, { shared }])).toEqual([{ a: 1 }, { shared: { a: 1 } }]);
  });

  it('accepts exactly as much as is allowed, in bytes of UTF-8', () => {
    expect(serializeParams('a'.repeat(MAX_PARAMS_BYTES - 2))).toHaveLength(MAX_PARAMS_BYTES);
    expect(() => serializeParams('a'.repeat(MAX_PARAMS_BYTES - 1))).toThrow(ScheduleInvalidError);
    expect(() => serializeParams('ä'.repeat(MAX_PARAMS_BYTES / 2))).toThrow(/1048578 bytes/);
  });

  it('accepts exactly the deepest nesting that is allowed', () => {
    expect(roundTrip(nested(MAX_PARAMS_DEPTH))).toEqual(nested(MAX_PARAMS_DEPTH));
    expect(() => serializeParams(nested(MAX_PARAMS_DEPTH + 1))).toThrow(ScheduleInvalidError);
    expect(() => serializeParams(nested(50_000))).toThrow(/nested deeper than 100 levels/);
  });

  it.each([
    ['NaN', { a: { b: [0, Number.NaN] } }, /params\.a\.b\[1\] is NaN/],
    ['Infinity', Infinity, /params is Infinity/],
    ['a function', { run: () => 1 }, /params\.run is a function/],
    ['a symbol', [Symbol('s')], /params\[0\] is a symbol/],
    ['a bigint', { id: 1n }, /params\.id is a bigint/],
    ['undefined in an array', [1, undefined], /params\[1\]/],
    ['a hole in an array', Array.of(1, 2).concat(Array.from({ length: 1 })), /params\[2\]/],
    ['a sparse array', Object.assign([], { length: 2, 1: 'b' }), /params\[0\]/],
    ['an invalid date', { at: new Date(Number.NaN) }, /params\.at/],
    ['a map', { map: new Map([[1, 2]]) }, /params\.map/],
    ['a set', [new Set([1])], /params\[0\]/],
    ['bytes', { bytes: new Uint8Array(2) }, /params\.bytes/],
    ['a boxed number', { n: Object(Number.NaN) as unknown }, /params\.n/],
    ['a regular expression', /a/, /params/],
    ['an error', { error: new Error('lost') }, /params\.error/],
    ['a promise', { later: Promise.resolve(1) }, /params\.later/],
  ])('refuses %s, which JSON would change silently', (_, params, message) => {
    expect(() => serializeParams(params)).toThrow(ScheduleInvalidError);
    expect(() => serializeParams(params)).toThrow(message);
  });

  it('refuses a cycle, through toJSON too', () => {
    const cycle: { a: { b: unknown[] } } = { a: { b: [] } };
    cycle.a.b.push(cycle);
    const endless = { toJSON: () => ({ again: endless }) };
    const itself = { toJSON: (): unknown => itself };

    expect(() => serializeParams(cycle)).toThrow(/params\.a\.b\[0\] refers back/);
    expect(() => serializeParams(endless)).toThrow(ScheduleInvalidError);
    expect(() => serializeParams(itself)).toThrow(ScheduleInvalidError);
  });

  it('refuses what cannot be read, with its reason', () => {
    const failure = new Error('no database here');
    const throws = () => {
      throw failure;
    };
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();

    for (const params of [
      { toJSON: throws },
      {
        get a() {
          return throws();
        },
      },
      new Proxy({}, { ownKeys: throws }),
      { a: revoked.proxy },
    ]) {
      expect(() => serializeParams(params)).toThrow(ScheduleInvalidError);
    }
  });

  it('reads every member once, so that what was checked is what is stored', () => {
    let reads = 0;
    const params = {
      get value() {
        reads += 1;
        return reads === 1 ? 1 : Number.NaN;
      },
    };

    expect(serializeParams(params)).toBe('{"value":1}');
  });

  it('says where the fault is without repeating a huge key', () => {
    const thrown = catchError(() => serializeParams({ ['k'.repeat(100_000)]: Number.NaN }));

    expect(thrown).toBeInstanceOf(ScheduleInvalidError);
    expect((thrown as Error).message.length).toBeLessThan(1_000);
  });
});

function catchError(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
