import { scryptSync, timingSafeEqual } from 'node:crypto';

/** What somebody is employed as. */
export type Role = 'viewer' | 'operator';

export interface User {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly role: Role;
  /** Salt and scrypt hash. The sample's passwords are the usernames. */
  readonly passwordHash: string;
}

/** Stands for a table of the application's. */
const USERS: readonly User[] = [
  {
    id: 'u-1',
    username: 'vera',
    name: 'Vera Viewer',
    role: 'viewer',
    passwordHash: 'bLIKXkXhySyTPBcktkALBg.TCZmR8NER6MxL8Urm3G7FOJS9XpcAO1wK0ugKXT48tU',
  },
  {
    id: 'u-2',
    username: 'otto',
    name: 'Otto Operator',
    role: 'operator',
    passwordHash: 'lRyTkl357GNezc-m7e6-jg.4ovjL0q8-VpMW1UFmK5Dkr1V7OWN_QqztbP68v-bu24',
  },
];

/** The user with this name and password. */
export function findUser(username: string, password: string): User | undefined {
  const user = USERS.find((candidate) => candidate.username === username);
  return user !== undefined && hasPassword(user, password) ? user : undefined;
}

function hasPassword({ passwordHash }: User, password: string): boolean {
  const [salt = '', hash = ''] = passwordHash.split('.');
  const expected = Buffer.from(hash, 'base64url');
  return timingSafeEqual(scryptSync(password, salt, expected.length), expected);
}
