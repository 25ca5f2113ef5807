import { inspect } from 'node:util';

const LONGEST_PREVIEW = 60;

/** A caller's value as it appears in a message: on one line, and never longer than a message can bear. */
export function preview(value: unknown): string {
  const text = inspected(value);
  return text.length > LONGEST_PREVIEW ? `${text.slice(0, LONGEST_PREVIEW)}…` : text;
}

function inspected(value: unknown): string {
  try {
    return inspect(value, { depth: 0, breakLength: Infinity, customInspect: false });
  } catch {
    return `a value of type ${typeof value}`;
  }
}
