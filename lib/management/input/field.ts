import { MalformedRequestError } from '../management.errors.js';
import type { JsonSchema } from './json-schema.js';

/**
 * One field of the API's input: what it must look like and how it is documented, said once. A field decides about shape
 * only (its JSON type, its members); whether the value makes sense is for whoever uses it. Nothing is coerced.
 */
export interface Field<Value, IsRequired extends boolean = boolean> {
  readonly isRequired: IsRequired;
  readonly schema: JsonSchema;
  /**
   * @param path names the field in messages.
   * @throws MalformedRequestError
   */
  read(value: unknown, path: string): Value;
}

/** Fields by name. */
export type Shape = Readonly<Record<string, Field<unknown>>>;

type NamesOf<S extends Shape, IsRequired extends boolean> = {
  [Name in keyof S]: S[Name] extends Field<unknown, IsRequired> ? Name : never;
}[keyof S];

type ValueOf<F> = F extends Field<infer Value> ? Value : never;

/** The type of an object that has a shape. */
export type Shaped<S extends Shape> = {
  readonly [Name in NamesOf<S, true>]: ValueOf<S[Name]>;
} & {
  readonly [Name in NamesOf<S, false>]?: ValueOf<S[Name]>;
};

type Documentation = Omit<JsonSchema, 'type' | 'properties' | 'required' | 'additionalProperties'>;

/** A string. */
export function text(documentation: Documentation): Field<string, false> {
  return field({ type: 'string', ...documentation }, 'a string', (value) => typeof value === 'string');
}

/** `true` or `false`. */
export function flag(documentation: Documentation): Field<boolean, false> {
  return field({ type: 'boolean', ...documentation }, 'true or false', (value) => typeof value === 'boolean');
}

/** A whole number that JavaScript holds exactly. */
export function integer(documentation: Documentation): Field<number, false> {
  return field(
    { type: 'integer', format: 'int64', ...documentation },
    `a whole number between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`,
    (value): value is number => Number.isSafeInteger(value),
  );
}

/** A number. */
export function number(documentation: Documentation): Field<number, false> {
  return field({ type: 'number', ...documentation }, 'a number', (value) => typeof value === 'number');
}

/** Whatever JSON can say, `null` included. */
export function anyJson(documentation: Documentation): Field<unknown, false> {
  return { isRequired: false, schema: { ...documentation, nullable: true }, read: (value) => value };
}

/** An array of items that are all read alike. */
export function list<Item>(item: Field<Item>, documentation: Documentation): Field<readonly Item[], false> {
  const array = field({ type: 'array', items: item.schema, ...documentation }, 'an array', (value) =>
    Array.isArray(value),
  );
  return {
    ...array,
    read: (value, path) =>
      array.read(value, path).map((element: unknown, index) => item.read(element, `${path}[${index}]`)),
  };
}

/** An object whose fields are not decided about here. */
export function object(documentation: Documentation): Field<object, false> {
  return field({ type: 'object', ...documentation }, 'an object', isObject);
}

/** An object of a shape, in which no other fields are accepted. */
export function record<S extends Shape>(shape: S, documentation: Documentation): Field<Shaped<S>, false> {
  return {
    isRequired: false,
    schema: { ...schemaOf(shape), ...documentation },
    read: (value, path) => readShape(shape, value, path),
  };
}

/** The same field, which must be there. */
export function required<Value>(optional: Field<Value>): Field<Value, true> {
  return { ...optional, isRequired: true };
}

/** The same field, which may also be `null`. */
export function nullable<Value>(field: Field<Value, false>): Field<Value | null, false> {
  return {
    ...field,
    schema: { ...field.schema, nullable: true },
    read: (value, path) => (value === null ? null : field.read(value, path)),
  };
}

/**
 * Reads an object of a shape from parsed JSON. Only its own members count, so that neither `__proto__` nor a polluted
 * prototype supplies a field.
 *
 * @throws MalformedRequestError when it is no object, or has a field that is unknown, missing or of another type.
 */
export function readShape<S extends Shape>(shape: S, value: unknown, path: string): Shaped<S> {
  if (!isObject(value)) {
    throw new MalformedRequestError(`${path} must be an object, not ${typeName(value)}.`);
  }
  const members = new Map<string, unknown>(Object.entries(value));
  for (const name of members.keys()) {
    if (!Object.hasOwn(shape, name)) {
      throw unknownField(shape, name, path);
    }
  }
  const fields = Object.entries(shape).flatMap(([name, field]): [string, unknown][] => {
    if (members.has(name)) {
      return [[name, field.read(members.get(name), `${path}.${name}`)]];
    }
    if (field.isRequired) {
      throw new MalformedRequestError(`${path}.${name} is missing.`);
    }
    return [];
  });
  return Object.fromEntries(fields) as Shaped<S>;
}

/** The JSON schema of a shape. */
export function schemaOf(shape: Shape): JsonSchema {
  const names = Object.keys(shape);
  const required = names.filter((name) => shape[name]?.isRequired);
  return {
    type: 'object',
    properties: Object.fromEntries(Object.entries(shape).map(([name, { schema }]) => [name, schema])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

function field<Value>(
  schema: JsonSchema,
  expected: string,
  accepts: (value: unknown) => value is Value,
): Field<Value, false> {
  return {
    isRequired: false,
    schema,
    read: (value, path) => {
      if (!accepts(value)) {
        throw new MalformedRequestError(`${path} must be ${expected}, not ${typeName(value)}.`);
      }
      return value;
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function unknownField(shape: Shape, name: string, path: string): MalformedRequestError {
  const names = Object.keys(shape);
  const known = names.length === 0 ? 'it has none' : `its fields are ${names.join(', ')}`;
  return new MalformedRequestError(`${path} has no field ${JSON.stringify(name.slice(0, 100))}; ${known}.`);
}

/** The type of a JSON value; never a text itself, which may be a secret in the wrong place. */
function typeName(value: unknown): string {
  if (value === undefined) {
    return 'absent';
  }
  if (value === null) {
    return 'null';
  }
  if (typeof value === 'number') {
    return `the number ${value}`;
  }
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
