// A leaf file, which every room may import.

/** The name of the store that was given none. */
export const DEFAULT_STORE_NAME = 'default';

/** Within the module of a store, its name. Of the process, so that a second copy of the package knows of the stores too. */
export const STORE_NAME = Symbol.for('nestjs-cron-store:store-name');

/** The token under which a named store gives something to the application, as `@nestjs/typeorm` makes its own. */
export function namedToken(store: string, what: string): string {
  return `${store}${what}`;
}

/** Whether a name is that of the unnamed store. */
export function isDefaultStore(name: string | undefined): name is undefined | typeof DEFAULT_STORE_NAME {
  return name === undefined || name === DEFAULT_STORE_NAME;
}

/** A store, as sentences call it. */
export function storeInWords(name: string): string {
  return isDefaultStore(name) ? 'the unnamed store' : `the store ${JSON.stringify(name)}`;
}
