import type { Type } from '@nestjs/common';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { messageOf } from '../error-reading.js';
import { JobHandlerInvalidError } from './job-handler.error.js';
import { ParamsInvalidError } from './params-invalid.error.js';

/**
 * A field that the class does not know is refused, not dropped: params are edited by people, and a misspelled field
 * must not silently leave its default in force. A class tolerates a field by declaring it with `@Allow()`.
 */
const VALIDATION: ValidatorOptions = {
  whitelist: true,
  forbidNonWhitelisted: true,
  forbidUnknownValues: true,
  validationError: { target: false, value: false },
};

/**
 * Makes an instance of `Dto` from a JSON value with class-transformer and validates it with class-validator, its
 * asynchronous validators included. The given value stays as it is; types are not converted but by `@Type()` and
 * `@Transform()`.
 *
 * @throws ParamsInvalidError when the value is not an object, cannot be transformed, or does not validate.
 * @throws Error when class-validator or class-transformer is not installed, saying what to install.
 */
export async function decodeParams<T extends object>(Dto: Type<T>, value: unknown): Promise<T> {
  const { plainToInstance, validate } = await loadDecoder();
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ParamsInvalidError(Dto.name, [`they must be an object, but are ${kindOf(value)}`]);
  }
  const instance = transform(Dto, value, plainToInstance);
  const errors = await validate(instance, VALIDATION);
  if (errors.length > 0) {
    throw new ParamsInvalidError(
      Dto.name,
      errors.flatMap((error) => faultsOf(error, Dto.name)),
    );
  }
  return instance;
}

/**
 * Fails with a sentence that says what to install, where the optional peers are absent. For start-up: a node that
 * cannot decode should say so before the first run does.
 *
 * @param place of a handler that declares a class for its params.
 * @throws JobHandlerInvalidError where they are absent.
 */
export async function requireDecoder(place: string): Promise<void> {
  try {
    await loadDecoder();
  } catch (cause) {
    throw new JobHandlerInvalidError(
      `The job handler ${place} declares a class for its params, which needs the packages class-validator and class-transformer: run \`npm install class-validator class-transformer\`.`,
      { cause },
    );
  }
}

type PlainToInstance = typeof import('class-transformer').plainToInstance;

interface Decoder {
  readonly plainToInstance: PlainToInstance;
  readonly validate: typeof import('class-validator').validate;
}

/** Lazily, since both are optional peers: an application whose handlers declare no params needs neither. */
async function loadDecoder(): Promise<Decoder> {
  try {
    const [{ plainToInstance }, { validate }] = await Promise.all([
      import('class-transformer'),
      import('class-validator'),
    ]);
    return { plainToInstance, validate };
  } catch (cause) {
    throw new Error(
      'Decoding params needs the packages class-validator and class-transformer: run `npm install class-validator class-transformer`.',
      { cause },
    );
  }
}

function transform<T extends object>(Dto: Type<T>, value: object, plainToInstance: PlainToInstance): T {
  try {
    // A copy, because class-transformer deletes discriminators from what it reads.
    return plainToInstance(Dto, JSON.parse(JSON.stringify(value)));
  } catch (cause) {
    throw new ParamsInvalidError(Dto.name, [messageOf(cause)], { cause });
  }
}

function faultsOf(error: ValidationError, typeName: string, parentPath = ''): readonly string[] {
  const constraints = error.constraints ?? {};
  if ('unknownValue' in constraints) {
    return [undecorated(parentPath, typeName)];
  }
  const path = pathOf(parentPath, error.property);
  return [
    ...Object.values(constraints).map((message) => located(message, path)),
    ...(error.children ?? []).flatMap((child) => faultsOf(child, typeName, path)),
  ];
}

/** class-validator refuses an instance of a class in which nothing is decorated. */
function undecorated(path: string, typeName: string): string {
  return path === ''
    ? `${typeName} has no property with a class-validator decorator, decorate what it accepts`
    : `${path} has a class without class-validator decorators, decorate what it accepts`;
}

/** class-validator's messages name the field without its path, in whatever place of the sentence, or not at all. */
function located(message: string, path: string): string {
  return message.split(/[^\w$]+/).includes(path) ? message : `${path}: ${message}`;
}

function pathOf(parent: string, property: string): string {
  if (parent === '') {
    return property;
  }
  return /^\d+$/.test(property) ? `${parent}[${property}]` : `${parent}.${property}`;
}

function kindOf(value: unknown): string {
  if (value === undefined || value === null) {
    return value === null ? 'null' : 'absent';
  }
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}
