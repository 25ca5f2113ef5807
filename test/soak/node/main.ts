// One node of a soak, of this source, in a process of its own.
import 'reflect-metadata';
import * as library from '../../../lib/index.js';
import { StoreClock } from '../../../lib/storage/index.js';
import { startNode } from './node.js';

await startNode({ ...library, StoreClock });
