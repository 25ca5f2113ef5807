/** Why the application did not start, for people who have not written it. */
export function startFailure(error: unknown): string {
  if (!(error instanceof Error)) {
    return `The application cannot start: ${String(error)}`;
  }
  switch ('code' in error ? error.code : undefined) {
    case 'EADDRINUSE':
      return `The application cannot start: another program uses its port (${error.message}). Set PORT to another one.`;
    case 'EACCES':
      return `The application cannot start: it may not use its port (${error.message}). Set PORT to one from 1024 on.`;
    default:
      return `The application cannot start: ${error.message}`;
  }
}
