/** Why the database at a URL cannot be used, and what to change. Never repeats the password. */
export function connectionFault(databaseUrl: string, error: unknown): Error {
  const { hostname, port, pathname, username } = new URL(databaseUrl);
  const server = `${hostname}:${port || '5432'}`;
  return new Error(`the database cannot be used. ${sentence()} Check DATABASE_URL.`, { cause: error });

  function sentence(): string {
    switch (codeOf(error)) {
      case 'ECONNREFUSED':
        return `Nothing listens at ${server}.`;
      case 'ENOTFOUND':
      case 'EAI_AGAIN':
        return `The host ${hostname} is not known.`;
      case 'ETIMEDOUT':
        return `${server} does not answer.`;
      case '28P01':
      case '28000':
        return `The server at ${server} does not let the user "${decodeURIComponent(username)}" in.`;
      case '3D000':
        return `The server at ${server} has no database "${decodeURIComponent(pathname.slice(1))}".`;
      default:
        return `${server}: ${error instanceof Error ? error.message : String(error)}.`;
    }
  }
}

function codeOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'code' in error ? error.code : undefined;
}
