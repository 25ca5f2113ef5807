import * as api from '../../../../lib/index.js';

/** Constructors take texts, and lists of texts: one of these is what they need to run. */
const ARGUMENTS: readonly (readonly unknown[])[] = [
  ['', ''],
  ['', []],
];

/** The exported errors that have a code, by their names. */
export function codesByClass(): Readonly<Record<string, number>> {
  const classes = Object.entries(api).filter(([, value]) => isErrorClass(value));
  return Object.fromEntries(classes.map(([name, value]) => [name, codeOf(value as ErrorClass)]));
}

type ErrorClass = new (...args: readonly unknown[]) => { readonly code: number };

function isErrorClass(value: unknown): boolean {
  return typeof value === 'function' && value.prototype instanceof api.CronStoreError;
}

function codeOf(errorClass: ErrorClass): number {
  const [code] = ARGUMENTS.flatMap((args) => {
    try {
      return [new errorClass(...args).code];
    } catch {
      return [];
    }
  });
  return Number(code);
}
