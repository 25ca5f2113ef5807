/** What marks the prototypes of run interceptors and claim observers, in every copy of the package in the process. */
export const RUN_INTERCEPTOR = Symbol.for('nestjs-cron-store:run-interceptor');
export const CLAIM_OBSERVER = Symbol.for('nestjs-cron-store:claim-observer');

/**
 * Marks the prototype of an abstract class, and so all that extends it, without a member in its type, which those who only
 * implement it would have to have.
 */
export function brand({ prototype }: { readonly prototype: object }, mark: symbol): void {
  Object.defineProperty(prototype, mark, { value: true });
}

/** Whether an object is of a marked class. */
export function isBranded(object: unknown, mark: symbol): boolean {
  return typeof object === 'object' && object !== null && mark in object;
}

/** Whether a token is a marked class itself, and none that extends it. */
export function isBrandedClass(token: unknown, mark: symbol): boolean {
  if (typeof token !== 'function') {
    return false;
  }
  const prototype: unknown = token.prototype;
  return typeof prototype === 'object' && prototype !== null && Object.hasOwn(prototype, mark);
}
