import { CronStoreError } from '../../../../lib/index.js';
import { anErrorOf, EXPORTED_ERRORS } from './exported-errors.js';

/** The exported errors that have a code, by their names. */
export function codesByClass(): Readonly<Record<string, number>> {
  return Object.fromEntries(
    [...EXPORTED_ERRORS].flatMap(([name, errorClass]) => {
      const error = anErrorOf(errorClass);
      return error instanceof CronStoreError ? [[name, error.code]] : [];
    }),
  );
}
