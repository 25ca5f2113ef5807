// One node of the version of the package that is installed where this program was put, in a process of its own.
import 'reflect-metadata';
import * as library from 'nestjs-cron-store';
import { StoreClock } from 'nestjs-cron-store/testing';
import { startNode } from '../../soak/node/node.js';

await startNode({ ...library, StoreClock });
