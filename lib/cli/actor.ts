import { userInfo } from 'node:os';

/** Who makes the changes of a command, for the audit trail: the user of the operating system. */
export function commandLineActor(): string {
  return `cli:${userName()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user without an entry in the system's list, as containers have.
    return String(process.getuid?.() ?? 'unknown');
  }
}
