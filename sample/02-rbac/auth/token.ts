import type { Role } from './users.js';

/** What a token says about whom it was given to. */
export interface Token {
  readonly sub: string;
  readonly name: string;
  readonly role: Role;
}
