const NAME = 'session';

/** No script reads it, and no page of another site makes a browser send it. */
const ATTRIBUTES = 'Path=/; HttpOnly; SameSite=Strict';

export function sessionCookie(token: string): string {
  return `${NAME}=${token}; ${ATTRIBUTES}`;
}

export const EXPIRED_COOKIE = `${NAME}=; Max-Age=0; ${ATTRIBUTES}`;

/** The token that a request brings; empty where it brings none. */
export function sessionTokenOf(cookies = ''): string {
  return /(?:^|; )session=([\w-]+)/.exec(cookies)?.[1] ?? '';
}
