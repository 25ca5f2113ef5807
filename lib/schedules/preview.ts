import { inspect } from 'node:util';

const LONGEST_PREVIEW = 60;

/** Twice the longest name: outside of the basic plane a character takes two units. */
const LONGEST_QUOTE = 256;

/** A caller's value as it appears in a message: on one line, and never longer than a message can bear. */
export function preview(value: unknown): string {
  const text = inspected(value);
  return text.length > LONGEST_PREVIEW ? `${text.slice(0, LONGEST_PREVIEW)}…` : text;
}

/** A caller's text as it appears in a message: quoted, on one line, and shown in full where it is as long as a name. */
export function quote(text: string): string {
  return JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text);
}

function inspected(value: unknown): string {
  try {
    return inspect(value, { depth: 0, breakLength: Infinity, customInspect: false });
  } catch {
    return `a value of type ${typeof value}`;
  }
}
