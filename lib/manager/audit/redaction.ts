import type { JsonValue } from '../../schedules/index.js';

const REDACTED = '[redacted]';

/** Larger values are left out of the audit trail, with a word in their place. */
const MAX_AUDITED_BYTES = 64 * 1024;

/** Copies values for the audit trail without what must not be kept in it. */
export class Redaction {
  private readonly secretKeys: readonly string[];

  /** @param secretKeys values of members whose key contains one of these are replaced; case, `-` and `_` do not matter. */
  constructor(secretKeys: readonly string[]) {
    this.secretKeys = secretKeys.map(normalized).filter((key) => key !== '');
  }

  /** A JSON copy without secrets; undefined for what JSON cannot carry at all. */
  copyOf(value: unknown): JsonValue | undefined {
    const text = this.textOf(value);
    if (text === undefined) {
      return undefined;
    }
    const bytes = Buffer.byteLength(text);
    return bytes > MAX_AUDITED_BYTES ? `[omitted: ${bytes} bytes]` : (JSON.parse(text) as JsonValue);
  }

  /** What was given may be anything: a cycle, a bigint, a getter that throws. */
  private textOf(value: unknown): string | undefined {
    try {
      return JSON.stringify(value, (key, member: unknown) => (this.isSecret(key) ? REDACTED : member));
    } catch {
      return JSON.stringify('[not JSON]');
    }
  }

  private isSecret(key: string): boolean {
    const name = normalized(key);
    return this.secretKeys.some((secret) => name.includes(secret));
  }
}

function normalized(key: string): string {
  return key.toLowerCase().replaceAll(/[-_]/g, '');
}
