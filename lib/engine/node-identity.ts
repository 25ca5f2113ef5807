import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';

/** Who a process is in the store. */
export interface NodeIdentity {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
}

/**
 * Makes an identity that no other process has, nor an earlier one with the same host name and process id, as
 * containers have: the random part decides, the rest is for people.
 */
export function createNodeIdentity(): NodeIdentity {
  const host = hostname();
  return { id: `${host}-${process.pid}-${randomBytes(6).toString('hex')}`, host, pid: process.pid };
}
