/**
 * The code of an error of the system, such as `ENOENT`. What the error is an instance of does not tell: under a
 * test runner the errors of Node are of another realm.
 *
 * @param {unknown} error
 * @returns {unknown}
 */
export function errorCode(error) {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
