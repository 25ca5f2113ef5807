import * as api from '../../../../lib/index.js';

/** Constructors take texts, and lists of texts: one of these is what they need to run. */
const ARGUMENTS: readonly (readonly unknown[])[] = [['', ''], ['', []], [[]]];

export type ErrorClass = new (...args: readonly unknown[]) => Error;

/** The exported classes of errors by their names, but for the abstract base. */
export const EXPORTED_ERRORS: ReadonlyMap<string, ErrorClass> = new Map(
  Object.entries<unknown>(api).filter((entry): entry is [string, ErrorClass] => isErrorClass(entry[1])),
);

/** An error of a class. */
export function anErrorOf(errorClass: ErrorClass): Error {
  const [error] = ARGUMENTS.flatMap((args) => {
    try {
      return [new errorClass(...args)];
    } catch {
      return [];
    }
  });
  if (error === undefined) {
    throw new Error(`${errorClass.name} takes other arguments.`);
  }
  return error;
}

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error && value !== api.CronStoreError;
}
