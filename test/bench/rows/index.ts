import type { Row } from '../harness/row.js';
import { profile } from './profile.js';
import { throughput } from './throughput.js';

/** Every row, in the order in which they run. */
export const ROWS: readonly Row[] = [throughput, profile];
