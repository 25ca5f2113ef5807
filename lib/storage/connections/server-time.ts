import { onlyRow } from '../statements/only-row.js';
import { PostgresClock } from '../store-clock.js';
import type { Connections } from './connections.js';

/** Asks PostgreSQL for its own time, in Unix ms, also where the store goes by another clock. */
export async function serverNow(connections: Connections): Promise<number> {
  const text = `select ${new PostgresClock().nowSql} as now`;
  const rows = await connections.query<{ now: number }>('manager', text);
  return onlyRow(rows).now;
}
