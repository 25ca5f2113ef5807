import { inspect } from 'node:util';
import { RunInterceptorError } from '../../jobs/index.js';
import { MAX_ERROR_LENGTH } from '../../storage/index.js';

const INDESCRIBABLE = 'The handler threw something that cannot be described.';

/** The journaled text of whatever a handler threw: never empty, bounded, and without NUL, which no text column takes. */
export function errorText(thrown: unknown): string {
  const text = describe(thrown).replaceAll('\0', '\u{FFFD}');
  return text.length > MAX_ERROR_LENGTH ? `${text.slice(0, MAX_ERROR_LENGTH - 1)}…` : text;
}

function describe(thrown: unknown): string {
  try {
    if (thrown instanceof RunInterceptorError && 'cause' in thrown) {
      return `${thrown.message} ${describe(thrown.cause)}`;
    }
    if (thrown instanceof Error) {
      // Anybody can have put anything there.
      const { message, name }: { readonly message: unknown; readonly name: unknown } = thrown;
      return String(message) || String(name) || 'Error';
    }
    return (typeof thrown === 'string' && thrown) || inspect(thrown, { depth: 2 }) || INDESCRIBABLE;
  } catch {
    // Getters and custom inspectors may throw in their turn.
    return INDESCRIBABLE;
  }
}
