import 'reflect-metadata';
import { Transform, Type } from 'class-transformer';
import {
  Allow,
  IsDate,
  IsEmail,
  IsInt,
  IsObject,
  IsOptional,
  IsString,
  Min,
  ValidateBy,
  ValidateNested,
} from 'class-validator';
import { ParamsInvalidError } from '../../../lib/jobs/index.js';
import { decodeParams } from '../../../lib/jobs/params-decoder.js';

class Recipient {
  @IsEmail()
  email!: string;
}

class ReportParams {
  @IsInt()
  @Min(1)
  days = 7;

  @IsOptional()
  @ValidateNested({ each: true })
  @Type(() => Recipient)
  recipients?: Recipient[];

  @IsOptional()
  @IsString({ each: true })
  tags?: string[];

  @IsOptional()
  @IsObject()
  extra?: object;

  @IsOptional()
  @Type(() => Date)
  @IsDate()
  since?: Date;

  @Allow()
  note?: unknown;
}

async function faultsOf(value: unknown, Dto: new () => object = ReportParams): Promise<readonly string[]> {
  const error = await decodeParams(Dto, value).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(ParamsInvalidError);
  return error instanceof ParamsInvalidError ? error.faults : [];
}

describe('decodeParams', () => {
  it('makes an instance of the class, nested ones included', async () => {
    const params = await decodeParams(ReportParams, {
      days: 3,
      recipients: [{ email: 'a@example.com' }],
      since: '2026-01-01T00:00:00.000Z',
    });
    expect(params).toBeInstanceOf(ReportParams);
    expect(params.recipients?.[0]).toBeInstanceOf(Recipient);
    expect(params.since).toEqual(new Date(Date.UTC(2026, 0, 1)));
  });

  it('keeps the defaults of what is absent', async () => {
    await expect(decodeParams(ReportParams, {})).resolves.toMatchObject({ days: 7 });
  });

  it('converts no types on its own', async () => {
    expect(await faultsOf({ days: '3' })).toEqual([
      'days must not be less than 1',
      'days must be an integer number',
    ]);
  });

  it.each([
    [undefined, 'absent'],
    [null, 'null'],
    [[], 'an array'],
    ['text', 'a string'],
    [7, 'a number'],
    [true, 'a boolean'],
  ])('refuses %p, which is no object', async (value, kind) => {
    expect(await faultsOf(value)).toEqual([`they must be an object, but are ${kind}`]);
  });

  it('refuses fields that the class does not know, at any depth', async () => {
    expect(await faultsOf({ dayz: 3 })).toEqual(['property dayz should not exist']);
    expect(await faultsOf({ recipients: [{ email: 'a@example.com', name: 'A' }] })).toEqual([
      'recipients[0].name: property name should not exist',
    ]);
  });

  it('names every fault with its path, in one sentence', async () => {
    const value = { days: 0, recipients: [{ email: 'a@example.com' }, { email: 'nobody' }], tags: [1] };
    expect(await faultsOf(value)).toEqual([
      'days must not be less than 1',
      'recipients[1].email: email must be an email',
      'each value in tags must be a string',
    ]);
    await expect(decodeParams(ReportParams, { days: 0 })).rejects.toThrow(
      'The params do not fit ReportParams: days must not be less than 1.',
    );
  });

  it('waits for asynchronous validators', async () => {
    class Checked {
      @ValidateBy({
        name: 'exists',
        async: true,
        validator: {
          validate: (value) => Promise.resolve(value === 'known'),
          defaultMessage: () => 'customer does not exist',
        },
      })
      customer!: string;
    }
    await expect(decodeParams(Checked, { customer: 'known' })).resolves.toEqual({ customer: 'known' });
    expect(await faultsOf({ customer: 'unknown' }, Checked)).toEqual(['customer does not exist']);
  });

  it('makes a failing transformer or constructor a fault of the params', async () => {
    class Failing {
      @Transform(() => {
        throw new RangeError('no such currency');
      })
      @IsString()
      currency!: string;
    }
    expect(await faultsOf({ currency: 'XXX' }, Failing)).toEqual(['no such currency']);
  });

  it('says that a class without decorators validates nothing', async () => {
    class Bare {
      days!: number;
    }
    expect(await faultsOf({ days: 1 }, Bare)).toEqual([
      'Bare has no property with a class-validator decorator, decorate what it accepts',
    ]);
  });

  it.each([
    '{"__proto__": {"isAdmin": true}}',
    '{"constructor": {"prototype": {"isAdmin": true}}}',
    '{"extra": {"__proto__": {"isAdmin": true}}}',
    '{"note": {"__proto__": {"isAdmin": true}, "constructor": 1}}',
  ])('is not deceived by %s', async (json) => {
    const decoded: object = await decodeParams(ReportParams, JSON.parse(json)).catch(() => ({}));
    expect(Reflect.get({}, 'isAdmin')).toBeUndefined();
    expect(Reflect.get(decoded, 'isAdmin')).toBeUndefined();
    expect(Reflect.get(Object(Reflect.get(decoded, 'extra')), 'isAdmin')).toBeUndefined();
  });

  it('leaves the given value as it is', async () => {
    class Shape {
      @Allow()
      kind?: string;
    }
    class Circle extends Shape {
      @IsInt()
      radius!: number;
    }
    class Drawing {
      @ValidateNested()
      @Type(() => Shape, {
        discriminator: { property: 'kind', subTypes: [{ name: 'circle', value: Circle }] },
      })
      shape!: Shape;
    }
    const value = { shape: { kind: 'circle', radius: 1 } };
    const { shape } = await decodeParams(Drawing, value);
    expect(shape).toBeInstanceOf(Circle);
    expect(value).toEqual({ shape: { kind: 'circle', radius: 1 } });
  });
});
