import type { Row } from '../harness/row.js';
import { failover } from './failover.js';
import { idle } from './idle.js';
import { journal } from './journal.js';
import { memory } from './memory.js';
import { precision } from './precision.js';
import { profile } from './profile.js';
import { scale } from './scale.js';
import { storm } from './storm.js';
import { throughput } from './throughput.js';
import { visibility } from './visibility.js';

/** Every row, in the order in which they run. */
export const ROWS: readonly Row[] = [
  throughput,
  storm,
  precision,
  idle,
  scale,
  visibility,
  failover,
  journal,
  memory,
  profile,
];
