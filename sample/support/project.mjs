import { join } from 'node:path';

/** The root of the repository. */
export const PROJECT = join(import.meta.dirname, '..', '..');
