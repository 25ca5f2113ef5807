const LONGEST_QUOTE = 60;

/** A caller's text as it appears in a message: quoted, on one line, and never longer than a message can bear. */
export function quote(text: string): string {
  const shown = text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text;
  return JSON.stringify(shown);
}

/** A value of any type as it appears in a message. */
export function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return quote(value);
  if (value === null || typeof value === 'number' || typeof value === 'boolean') return String(value);
  return Array.isArray(value) ? 'an array' : `of type ${typeof value}`;
}
