import { join } from 'node:path';

/** Where the compiled program is, seen from the project. */
const COMPILED = 'dist/soak/test/soak/support';

/** The project's folder. */
export const PROJECT = import.meta.dirname.endsWith(COMPILED)
  ? import.meta.dirname.slice(0, -COMPILED.length)
  : join(import.meta.dirname, '../../..');

/** The compiled program of a node. */
export const NODE_PROGRAM = join(PROJECT, 'dist/soak/test/soak/node/main.js');
